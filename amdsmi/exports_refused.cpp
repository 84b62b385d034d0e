// The functions that are not carried, made from the rows. They look at no argument, so any signature is right.
#include "amdsmi/exports.h"

#if HIPR_SMI_ABI == 24
#define SMI_IN_24(definition) definition
#define SMI_IN_26(definition)
#define SMI_IN_27(definition)
#elif HIPR_SMI_ABI == 26
#define SMI_IN_24(definition)
#define SMI_IN_26(definition) definition
#define SMI_IN_27(definition)
#else
#define SMI_IN_24(definition)
#define SMI_IN_26(definition)
#define SMI_IN_27(definition) definition
#endif
#define SMI_IN_2426(definition) SMI_IN_24(definition) SMI_IN_26(definition)
#define SMI_IN_2627(definition) SMI_IN_26(definition) SMI_IN_27(definition)
#define SMI_IN_242627(definition) definition

#define SMI_DEFINE_Fixed(name)
#define SMI_DEFINE_Live(name)
#define SMI_DEFINE_Refused(name)     \
  SMI_EXPORT name() {                \
    return hipr::smi::kNotSupported; \
  }
#define SMI_API(name, sonames, verb) SMI_IN_##sonames(SMI_DEFINE_##verb(name))
#include "amdsmi/smi.def"
