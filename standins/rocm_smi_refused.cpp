#include "standins/refused.h"
#include "standins/rocm_smi_codes.h"

#define REFUSED(name) HIPR_REFUSED(name, hipr::standins::kNotSupported)
#include "standins/rocm_smi_refused.def"
#undef REFUSED
