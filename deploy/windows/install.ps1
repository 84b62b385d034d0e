# Makes programs of this user find the HIP Remote client in the folder this script lies in.
#   install.ps1 -Worker HOST[:PORT]         in front of PATH; sets TF_WORKER_HOST; asks the worker for its GPUs
#   install.ps1 -Beside FOLDER              also puts the DLLs beside an application, keeping the ones that are there
#   install.ps1 -Remove [-Beside FOLDER]    takes it back
# Needs no administrator. docs\windows.md tells more.
param([string]$Worker, [string]$Beside, [switch]$Remove, [switch]$NoCheck)
$ErrorActionPreference = 'Stop'
$bin = Join-Path $PSScriptRoot 'bin'
$dlls = 'amdhip64.dll', 'amdhip64_6.dll', 'amdhip64_7.dll'
if (-not (Test-Path (Join-Path $bin 'amdhip64_7.dll'))) { throw "amdhip64_7.dll is not in $bin; unpack the whole zip" }

function Get-UserPath { @([Environment]::GetEnvironmentVariable('Path', 'User') -split ';' | Where-Object { $_ -and $_ -ne $bin }) }
function Set-User([string]$Name, $Value) {
  [Environment]::SetEnvironmentVariable($Name, $Value, 'User')
  [Environment]::SetEnvironmentVariable($Name, $Value, 'Process')
}

if ($Beside) {
  if (-not (Test-Path $Beside -PathType Container)) { throw "$Beside is not a folder" }
  foreach ($dll in $dlls) {
    $target = Join-Path $Beside $dll
    $kept = "$target.amd"
    if ($Remove) {
      if (Test-Path $kept) { Move-Item -Force $kept $target }
      elseif (Test-Path $target) { Remove-Item $target }
      continue
    }
    # Only in place of what the application has; amdhip64_7.dll in any case.
    if (-not (Test-Path $target) -and $dll -ne 'amdhip64_7.dll') { continue }
    if ((Test-Path $target) -and -not (Test-Path $kept)) { Move-Item $target $kept }
    Copy-Item -Force (Join-Path $bin $dll) $target
    Write-Host "$target is ours now$(if (Test-Path $kept) { '; the original is ' + $kept })"
  }
  if ($Remove) { Write-Host "$Beside is as it was" }
}

if ($Remove) {
  [Environment]::SetEnvironmentVariable('Path', ((Get-UserPath) -join ';'), 'User')
  if (-not $Beside) { foreach ($name in 'TF_WORKER_HOST', 'HIP_REMOTE_LIB_DIR') { Set-User $name $null } }
  Write-Host 'Removed. Open a new window.'
  exit 0
}

[Environment]::SetEnvironmentVariable('Path', ((@($bin) + (Get-UserPath)) -join ';'), 'User')
$env:Path = "$bin;$env:Path"
Set-User 'HIP_REMOTE_LIB_DIR' $bin
if ($Worker) { Set-User 'TF_WORKER_HOST' $Worker }
if ($NoCheck) { exit 0 }
& (Join-Path $bin 'hip-remote.exe') info
if ($LASTEXITCODE -ne 0) {
  Write-Warning 'The worker did not answer. Is hip-worker running there, and the SSH tunnel to it? (docs\windows.md)'
  exit 1
}
Write-Host 'Ready. Open a new window to use it.'
