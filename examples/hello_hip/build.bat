@echo off
rem Builds hello_hip.exe: the kernel, its bytes as a header, the host program, and the DLL beside it.
rem   build.bat [HIP_REMOTE_FOLDER]      where the client was unpacked; C:\hip-remote unless given
rem The kernel needs clang with the AMD target (LLVM for Windows, or the HIP SDK); where vector_add.co exists it is used as it is, so
rem it may come from a Linux machine: hipcc --genco --offload-arch=gfx90a vector_add_kernel.hip -o vector_add.co
rem The host program needs Visual Studio's cl (a "Developer Command Prompt") or clang++.
setlocal
cd /d "%~dp0"
set HIP_REMOTE=%~1
if "%HIP_REMOTE%"=="" set HIP_REMOTE=C:\hip-remote
if "%GPU_ARCH%"=="" set GPU_ARCH=gfx90a
if not exist "%HIP_REMOTE%\lib\amdhip64.lib" echo %HIP_REMOTE%\lib\amdhip64.lib is not there; give the folder of the client & exit /b 1

echo [1/4] kernel for %GPU_ARCH%
if not exist vector_add.co (
  clang -x hip --offload-arch=%GPU_ARCH% --offload-device-only --no-gpu-bundle-output -nogpulib -nogpuinc -DNO_HIP_HEADERS -O3 vector_add_kernel.hip -o vector_add.co || exit /b 1
)

echo [2/4] its bytes as a header
powershell -NoProfile -Command "$b=[IO.File]::ReadAllBytes('vector_add.co'); $t=[Text.StringBuilder]::new(); [void]$t.AppendLine('#define VECTOR_ADD_TARGET \"%GPU_ARCH%\"'); [void]$t.AppendLine('alignas(4096) static const unsigned char vector_add_co[] = {'); foreach($x in $b){[void]$t.Append($x).Append(',')}; [void]$t.AppendLine('};'); [IO.File]::WriteAllText('vector_add_co.h',$t.ToString())" || exit /b 1

echo [3/4] host program
where cl >nul 2>nul
if %errorlevel%==0 (
  cl /nologo /std:c++20 /EHsc /utf-8 /I. /I"%HIP_REMOTE%\include" hello_hip.cpp /Fe:hello_hip.exe /link "%HIP_REMOTE%\lib\amdhip64.lib" || exit /b 1
) else (
  clang++ -std=c++20 -I. -I"%HIP_REMOTE%\include" hello_hip.cpp "%HIP_REMOTE%\lib\amdhip64.lib" -o hello_hip.exe || exit /b 1
)

echo [4/4] the DLL beside it
copy /y "%HIP_REMOTE%\bin\amdhip64_7.dll" . >nul || exit /b 1
echo hello_hip.exe is ready. Set TF_WORKER_HOST and start it.
