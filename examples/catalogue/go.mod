module example.org/catalogue

go 1.26.0

require github.com/hobkin/hobkin v0.0.0

replace github.com/hobkin/hobkin => ../..
