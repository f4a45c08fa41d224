// Empty is the smallest Go program: what every start is measured beside.
package main

func main() {}
