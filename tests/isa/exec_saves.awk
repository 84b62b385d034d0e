# Reads llvm-objdump's text and names functions that clang 19 compiled wrongly: they overwrite a callee-saved vector
# register in all lanes (reloading a spill of scalars with EXEC = -1), but saved it in their own lanes only. A caller that keeps
# its return address in another lane of that register then returns to nowhere, on a GPU too. Seen at -O0.
function callee_saved(r) { return r ~ /^v[0-9]+$/ && substr(r, 2) + 0 >= 40 && (substr(r, 2) - 40) % 16 < 8 }
/^[0-9a-f]+ </ {
  name = substr($2, 2, length($2) - 3)
  all_lanes = 0
  delete saved
  next
}
{ gsub(/,/, "") }
$1 ~ /^s_(or|xor)_saveexec_b64$/ && $3 == "-1" { all_lanes = $1 ~ /or_/ && $1 !~ /xor/; next }
$1 == "s_mov_b64" && $2 == "exec" { all_lanes = $3 == "-1"; next }
!all_lanes { next }
$1 == "buffer_store_dword" { saved[$2] = 1 }
$1 == "scratch_store_dword" { saved[$3] = 1 }
$1 == "v_accvgpr_write_b32" { saved[$3] = 1 }
$1 ~ /^(buffer_load_dword|scratch_load_dword|v_accvgpr_read_b32)$/ && callee_saved($2) && !($2 in saved) && name != entry {
  print name ":" $2
  saved[$2] = 1
}
