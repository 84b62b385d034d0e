// The headers of Windows, in the order they need and without the macros that break C++. For files of this folder.
#pragma once

#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <winsock2.h>
// after winsock2.h:
#include <windows.h>
#include <ws2tcpip.h>
