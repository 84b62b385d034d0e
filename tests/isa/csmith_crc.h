/* The checksum csmith programs keep: CRC-32 of the values they hand over, eight bytes each. */
uint32_t crc32_context = 0xFFFFFFFFu;
uint32_t csm_result = 0;

static void platform_main_begin(void) {}
static void platform_main_end(uint32_t crc, int flag) {
  (void)flag;
  csm_result = crc;
}
static void crc32_gentab(void) {}

static void crc32_byte(uint8_t b) {
  uint32_t crc = crc32_context ^ b;
  for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ (crc & 1 ? 0xEDB88320u : 0);
  crc32_context = crc;
}
static void transparent_crc(uint64_t value, const char* name, int flag) {
  (void)name, (void)flag;
  for (int i = 0; i < 8; ++i) crc32_byte((uint8_t)(value >> (8 * i)));
}
static void transparent_crc_bytes(const volatile void* bytes, int count, const char* name, int flag) {
  (void)name, (void)flag;
  for (int i = 0; i < count; ++i) crc32_byte(((const volatile uint8_t*)bytes)[i]);
}
