# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh has them
# Sourced by run.sh: the control plane, in a network of its own where nothing but this test is. Needs $work and programs in $PATH.
bridge=cluster0 prefix=10.244 host=10.244.0.1 port=6443
export KUBECONFIG=$work/kubeconfig

lay_network() {
  ip link set lo up && ip link add "$bridge" type bridge && ip addr add "$host/16" dev "$bridge" && ip link set "$bridge" up
}

make_keys() {
  local pki=$work/pki
  mkdir -p "$pki"
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=cluster-test -keyout "$pki/ca.key" -out "$pki/ca.crt" 2>/dev/null
  openssl req -newkey rsa:2048 -nodes -subj /CN=kube-apiserver -keyout "$pki/server.key" -out "$pki/server.csr" 2>/dev/null
  openssl x509 -req -in "$pki/server.csr" -CA "$pki/ca.crt" -CAkey "$pki/ca.key" -CAcreateserial -days 2 -out "$pki/server.crt" \
    -extfile <(echo "subjectAltName=IP:$host,IP:127.0.0.1,DNS:kubernetes.default.svc") 2>/dev/null
  openssl genrsa -out "$pki/accounts.key" 2048 2>/dev/null
  token=$(openssl rand -hex 16)
  echo "$token,admin,admin,system:masters" >"$pki/tokens.csv"
  kubectl config set-cluster test --server="https://$host:$port" --certificate-authority="$pki/ca.crt" --embed-certs >/dev/null
  kubectl config set-credentials admin --token="$token" >/dev/null
  kubectl config set-context test --cluster=test --user=admin --namespace=default >/dev/null
  kubectl config use-context test >/dev/null
}

start() { # NAME COMMAND...: in the background, its output in NAME.log
  local name=$1
  shift
  "$@" >"$work/$name.log" 2>&1 &
  processes+=($!)
}

wait_until() { # SECONDS COMMAND...: until it succeeds
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    if ((SECONDS >= end)); then return 1; fi
    sleep 0.5
  done
}

start_control_plane() {
  local pki=$work/pki
  start etcd etcd --data-dir "$work/etcd" --unsafe-no-fsync --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
    --listen-peer-urls http://127.0.0.1:2380
  # Endpoints are asked, not addresses of services, which nothing here translates. Nodes are never tainted: nothing would heal them.
  start kube-apiserver kube-apiserver --etcd-servers http://127.0.0.1:2379 --bind-address "$host" --secure-port "$port" --advertise-address "$host" \
    --tls-cert-file "$pki/server.crt" --tls-private-key-file "$pki/server.key" --token-auth-file "$pki/tokens.csv" --authorization-mode RBAC \
    --service-account-issuer https://kubernetes.default.svc --service-account-key-file "$pki/accounts.key" \
    --service-account-signing-key-file "$pki/accounts.key" --service-cluster-ip-range 10.96.0.0/16 --enable-aggregator-routing \
    --disable-admission-plugins TaintNodesByCondition --endpoint-reconciler-type none --allow-privileged --kubelet-preferred-address-types InternalIP
  wait_until 600 kubectl get --raw /readyz || { tail -n 20 "$work/kube-apiserver.log"; return 1; }
}

start_nodes() {
  start node "$python" "$here/node/main.py" "$work" "$host" "$port" "$token" "$work/pki/ca.crt" "$bridge" "$prefix"
  wait_until 60 grep -q ready "$work/node.log" || { cat "$work/node.log"; return 1; }
}
