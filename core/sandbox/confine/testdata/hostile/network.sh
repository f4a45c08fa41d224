# Reaching anyone. The network is off; PORT listens on the machine, and so do sockets.
## curl
curl -s -m 2 "http://127.0.0.1:$PORT/" && echo BRE''ACH
## curl to the other names of the machine
curl -s -m 2 "http://localhost:$PORT/" "http://[::1]:$PORT6/" "http://0.0.0.0:$PORT/" "http://127.1.2.3:$PORT/" "http://$(hostname):$PORT/" | grep . && echo BRE''ACH
## wget
wget -q -T 2 -t 1 -O - "http://127.0.0.1:$PORT/" && echo BRE''ACH
## the shell itself
(exec 3<>"/dev/tcp/127.0.0.1/$PORT" && echo BRE''ACH)
## the shell over UDP
(echo x > "/dev/udp/127.0.0.1/$PORTU")
## netcat
nc -w 1 127.0.0.1 "$PORT" </dev/null && echo BRE''ACH
## socat
socat -T1 - "TCP:127.0.0.1:$PORT" </dev/null && echo BRE''ACH
## python
python3 -c 'import socket,os; socket.create_connection(("127.0.0.1",int(os.environ["PORT"])),2); print("BRE"+"ACH")'
## python over IPv6
python3 -c 'import socket,os; socket.create_connection(("::1",int(os.environ["PORT6"])),2); print("BRE"+"ACH")'
## perl
perl -MIO::Socket::INET -e 'print "BRE"."ACH" if IO::Socket::INET->new("127.0.0.1:$ENV{PORT}")'
## UDP by python
python3 -c 'import socket,os; socket.socket(socket.AF_INET,socket.SOCK_DGRAM).sendto(b"x",("127.0.0.1",int(os.environ["PORTU"])))'
## TCP with several paths
python3 -c 'import socket,os; s=socket.socket(socket.AF_INET,socket.SOCK_STREAM,262); s.settimeout(2); s.connect(("127.0.0.1",int(os.environ["PORT"]))); print("BRE"+"ACH")'
## TCP that sends with the first packet
python3 -c 'import socket,os; s=socket.socket(); s.sendto(b"x",0x20000000,("127.0.0.1",int(os.environ["PORT"]))); print("BRE"+"ACH")'
## SCTP
python3 -c 'import socket,os; s=socket.socket(socket.AF_INET,socket.SOCK_STREAM,132); s.settimeout(1); s.connect(("127.0.0.1",int(os.environ["PORT"]))); print("BRE"+"ACH")'
## ping
ping -c 1 -W 1 127.0.0.1 >/dev/null && test -z "$NAMESPACE" && echo BRE''ACH; ping -c 1 -W 1 1.1.1.1 && echo BRE''ACH
## the machine's own addresses
for a in $ADDRESSES; do curl -s -m 1 "http://$a:$PORT/" && echo BRE''ACH; done
## names
python3 -c 'import socket; socket.setdefaulttimeout(2); print(socket.getaddrinfo("example.org",80),"BRE"+"ACH")'; getent hosts example.org && echo BRE''ACH
## metadata of a cloud
curl -s -m 1 http://169.254.169.254/latest/meta-data/ && echo BRE''ACH
## git over the network
GIT_TERMINAL_PROMPT=0 timeout 3 git ls-remote "http://127.0.0.1:$PORT/x.git" && echo BRE''ACH; timeout 2 git ls-remote "git://127.0.0.1:$PORT/x" && echo BRE''ACH
## ssh
ssh -o BatchMode=yes -o ConnectTimeout=1 -p "$PORT" 127.0.0.1 true && echo BRE''ACH
## packages
timeout 3 npm ping --registry "http://127.0.0.1:$PORT/" --fetch-retries 0 >/dev/null 2>&1 && echo BRE''ACH; timeout 3 pip download --no-deps -i "http://127.0.0.1:$PORT/simple" x >/dev/null 2>&1 && echo BRE''ACH
## proxy of the environment
http_proxy="http://127.0.0.1:$PORT" curl -s -m 1 http://example.org/ && echo BRE''ACH
## raw packets
python3 "$HELPER" sockets
## table of routes and other machines
ip route add default via 127.0.0.1 && echo BRE''ACH; ip link set lo down 2>/dev/null && test -z "$NAMESPACE" && echo BRE''ACH; ip netns add evil && echo BRE''ACH
## socket of the agent, by path
python3 -c 'import socket,os; socket.socket(socket.AF_UNIX).connect(os.environ["CONTROL"]); print("BRE"+"ACH")'
## socket of the agent, by curl
curl -s -m 1 --unix-socket "$CONTROL" http://x/ && echo BRE''ACH
## socket of the agent, by netcat and socat
nc -w 1 -U "$CONTROL" </dev/null && echo BRE''ACH; socat -T1 - "UNIX-CONNECT:$CONTROL" </dev/null && echo BRE''ACH
## socket of the agent, through a link in the project
ln -sfn "$CONTROL" c.sock; python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("c.sock"); print("BRE"+"ACH")'
## socket of the agent, through proc
python3 -c 'import socket,os; socket.socket(socket.AF_UNIX).connect("/proc/self/root"+os.environ["CONTROL"]); print("BRE"+"ACH")'
## socket of the agent, moved
mv "$CONTROL" c2.sock; ln "$CONTROL" c3.sock; for s in c2.sock c3.sock; do test -S $s && echo BRE''ACH; done
## agent of ssh
SSH_AUTH_SOCK="$AGENTSOCK" ssh-add -l && echo BRE''ACH; python3 -c 'import socket,os; socket.socket(socket.AF_UNIX).connect(os.environ["AGENTSOCK"]); print("BRE"+"ACH")'
## bus of the session
DBUS_SESSION_BUS_ADDRESS="unix:path=$BUS" dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames && echo BRE''ACH; python3 -c 'import socket,os; socket.socket(socket.AF_UNIX).connect(os.environ["BUS"]); print("BRE"+"ACH")'
## bus of the system
python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("/run/dbus/system_bus_socket"); print("BRE"+"ACH")'
## docker
python3 -c 'import socket,os; socket.socket(socket.AF_UNIX).connect(os.environ["DOCKER"]); print("BRE"+"ACH")'; docker -H "unix://$DOCKER" ps && echo BRE''ACH
## display, by path
DISPLAY=:77 xdpyinfo && echo BRE''ACH; python3 -c 'import socket,os; socket.socket(socket.AF_UNIX).connect(os.environ["XSOCK"]); print("BRE"+"ACH")'
## display, abstract
python3 -c 'import socket,os; socket.socket(socket.AF_UNIX).connect("\0"+os.environ["ABSTRACT"]); print("BRE"+"ACH")'
## abstract, by socat
socat -T1 - "ABSTRACT-CONNECT:$ABSTRACT" </dev/null && echo BRE''ACH
## abstract datagrams
python3 -c 'import socket,os; socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM).sendto(b"x","\0"+os.environ["ABSTRACTU"])'
## datagrams by path
python3 -c 'import socket,os; socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM).sendto(b"x",os.environ["DGRAM"])'
## datagrams from one of a pair
python3 -c 'import socket,os; a,b=socket.socketpair(socket.AF_UNIX,socket.SOCK_DGRAM); a.sendto(b"x",os.environ["DGRAM"])'
## datagrams from one of a pair, connected anew
python3 -c 'import socket,os; a,b=socket.socketpair(socket.AF_UNIX,socket.SOCK_DGRAM); a.connect(os.environ["DGRAM"]); a.send(b"x")'
## log of the system
logger evil-$TOKEN && test -z "$NAMESPACE" -a -S /dev/log && echo BRE''ACH; python3 -c 'import socket; socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM).sendto(b"x","/run/systemd/journal/socket"); print("BRE"+"ACH")'
## listener that others could reach
python3 -c 'import socket; s=socket.socket(); s.bind(("0.0.0.0",0)); s.listen(); import os; print("" if os.environ.get("NAMESPACE") else "BRE"+"ACH")'
