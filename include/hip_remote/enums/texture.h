// Enumerations: arrays, textures and surfaces.
#pragma once

typedef enum HIPaddress_mode {
  HIP_TR_ADDRESS_MODE_WRAP = 0,
  HIP_TR_ADDRESS_MODE_CLAMP = 1,
  HIP_TR_ADDRESS_MODE_MIRROR = 2,
  HIP_TR_ADDRESS_MODE_BORDER = 3,
} HIPaddress_mode;

typedef enum HIPfilter_mode {
  HIP_TR_FILTER_MODE_POINT = 0,
  HIP_TR_FILTER_MODE_LINEAR = 1,
} HIPfilter_mode;

typedef enum HIPresourceViewFormat {
  HIP_RES_VIEW_FORMAT_NONE = 0,
  HIP_RES_VIEW_FORMAT_UINT_1X8 = 1,
  HIP_RES_VIEW_FORMAT_UINT_2X8 = 2,
  HIP_RES_VIEW_FORMAT_UINT_4X8 = 3,
  HIP_RES_VIEW_FORMAT_SINT_1X8 = 4,
  HIP_RES_VIEW_FORMAT_SINT_2X8 = 5,
  HIP_RES_VIEW_FORMAT_SINT_4X8 = 6,
  HIP_RES_VIEW_FORMAT_UINT_1X16 = 7,
  HIP_RES_VIEW_FORMAT_UINT_2X16 = 8,
  HIP_RES_VIEW_FORMAT_UINT_4X16 = 9,
  HIP_RES_VIEW_FORMAT_SINT_1X16 = 10,
  HIP_RES_VIEW_FORMAT_SINT_2X16 = 11,
  HIP_RES_VIEW_FORMAT_SINT_4X16 = 12,
  HIP_RES_VIEW_FORMAT_UINT_1X32 = 13,
  HIP_RES_VIEW_FORMAT_UINT_2X32 = 14,
  HIP_RES_VIEW_FORMAT_UINT_4X32 = 15,
  HIP_RES_VIEW_FORMAT_SINT_1X32 = 16,
  HIP_RES_VIEW_FORMAT_SINT_2X32 = 17,
  HIP_RES_VIEW_FORMAT_SINT_4X32 = 18,
  HIP_RES_VIEW_FORMAT_FLOAT_1X16 = 19,
  HIP_RES_VIEW_FORMAT_FLOAT_2X16 = 20,
  HIP_RES_VIEW_FORMAT_FLOAT_4X16 = 21,
  HIP_RES_VIEW_FORMAT_FLOAT_1X32 = 22,
  HIP_RES_VIEW_FORMAT_FLOAT_2X32 = 23,
  HIP_RES_VIEW_FORMAT_FLOAT_4X32 = 24,
  HIP_RES_VIEW_FORMAT_UNSIGNED_BC1 = 25,
  HIP_RES_VIEW_FORMAT_UNSIGNED_BC2 = 26,
  HIP_RES_VIEW_FORMAT_UNSIGNED_BC3 = 27,
  HIP_RES_VIEW_FORMAT_UNSIGNED_BC4 = 28,
  HIP_RES_VIEW_FORMAT_SIGNED_BC4 = 29,
  HIP_RES_VIEW_FORMAT_UNSIGNED_BC5 = 30,
  HIP_RES_VIEW_FORMAT_SIGNED_BC5 = 31,
  HIP_RES_VIEW_FORMAT_UNSIGNED_BC6H = 32,
  HIP_RES_VIEW_FORMAT_SIGNED_BC6H = 33,
  HIP_RES_VIEW_FORMAT_UNSIGNED_BC7 = 34,
} HIPresourceViewFormat;

typedef enum HIPresourcetype {
  HIP_RESOURCE_TYPE_ARRAY = 0,
  HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY = 1,
  HIP_RESOURCE_TYPE_LINEAR = 2,
  HIP_RESOURCE_TYPE_PITCH2D = 3,
} HIPresourcetype;

typedef enum hipArraySparseSubresourceType {
  hipArraySparseSubresourceTypeSparseLevel = 0,
  hipArraySparseSubresourceTypeMiptail = 1,
} hipArraySparseSubresourceType;

typedef enum hipArray_Format {
  HIP_AD_FORMAT_UNSIGNED_INT8 = 1,
  HIP_AD_FORMAT_UNSIGNED_INT16 = 2,
  HIP_AD_FORMAT_UNSIGNED_INT32 = 3,
  HIP_AD_FORMAT_SIGNED_INT8 = 8,
  HIP_AD_FORMAT_SIGNED_INT16 = 9,
  HIP_AD_FORMAT_SIGNED_INT32 = 10,
  HIP_AD_FORMAT_HALF = 16,
  HIP_AD_FORMAT_FLOAT = 32,
} hipArray_Format;

typedef enum hipChannelFormatKind {
  hipChannelFormatKindSigned = 0,
  hipChannelFormatKindUnsigned = 1,
  hipChannelFormatKindFloat = 2,
  hipChannelFormatKindNone = 3,
} hipChannelFormatKind;

typedef enum hipDevResourceType {
  hipDevResourceTypeInvalid = 0,
  hipDevResourceTypeSm = 1,
  hipDevResourceTypeWorkqueueConfig = 1000,
  hipDevResourceTypeWorkqueue = 10000,
} hipDevResourceType;

typedef enum hipResourceType {
  hipResourceTypeArray = 0,
  hipResourceTypeMipmappedArray = 1,
  hipResourceTypeLinear = 2,
  hipResourceTypePitch2D = 3,
} hipResourceType;

typedef enum hipResourceViewFormat {
  hipResViewFormatNone = 0,
  hipResViewFormatUnsignedChar1 = 1,
  hipResViewFormatUnsignedChar2 = 2,
  hipResViewFormatUnsignedChar4 = 3,
  hipResViewFormatSignedChar1 = 4,
  hipResViewFormatSignedChar2 = 5,
  hipResViewFormatSignedChar4 = 6,
  hipResViewFormatUnsignedShort1 = 7,
  hipResViewFormatUnsignedShort2 = 8,
  hipResViewFormatUnsignedShort4 = 9,
  hipResViewFormatSignedShort1 = 10,
  hipResViewFormatSignedShort2 = 11,
  hipResViewFormatSignedShort4 = 12,
  hipResViewFormatUnsignedInt1 = 13,
  hipResViewFormatUnsignedInt2 = 14,
  hipResViewFormatUnsignedInt4 = 15,
  hipResViewFormatSignedInt1 = 16,
  hipResViewFormatSignedInt2 = 17,
  hipResViewFormatSignedInt4 = 18,
  hipResViewFormatHalf1 = 19,
  hipResViewFormatHalf2 = 20,
  hipResViewFormatHalf4 = 21,
  hipResViewFormatFloat1 = 22,
  hipResViewFormatFloat2 = 23,
  hipResViewFormatFloat4 = 24,
  hipResViewFormatUnsignedBlockCompressed1 = 25,
  hipResViewFormatUnsignedBlockCompressed2 = 26,
  hipResViewFormatUnsignedBlockCompressed3 = 27,
  hipResViewFormatUnsignedBlockCompressed4 = 28,
  hipResViewFormatSignedBlockCompressed4 = 29,
  hipResViewFormatUnsignedBlockCompressed5 = 30,
  hipResViewFormatSignedBlockCompressed5 = 31,
  hipResViewFormatUnsignedBlockCompressed6H = 32,
  hipResViewFormatSignedBlockCompressed6H = 33,
  hipResViewFormatUnsignedBlockCompressed7 = 34,
} hipResourceViewFormat;

typedef enum hipSurfaceBoundaryMode {
  hipBoundaryModeZero = 0,
  hipBoundaryModeTrap = 1,
  hipBoundaryModeClamp = 2,
} hipSurfaceBoundaryMode;

typedef enum hipTextureAddressMode {
  hipAddressModeWrap = 0,
  hipAddressModeClamp = 1,
  hipAddressModeMirror = 2,
  hipAddressModeBorder = 3,
} hipTextureAddressMode;

typedef enum hipTextureFilterMode {
  hipFilterModePoint = 0,
  hipFilterModeLinear = 1,
} hipTextureFilterMode;

typedef enum hipTextureReadMode {
  hipReadModeElementType = 0,
  hipReadModeNormalizedFloat = 1,
} hipTextureReadMode;
