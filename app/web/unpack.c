// Unpacks the program as it comes (.lzma, by liblzma): a browser has nothing of its own that packs as small. pack.py calls it, from the
// page.
#include <lzma.h>

static lzma_stream stream = LZMA_STREAM_INIT;
static uint8_t packed[1 << 16], unpacked[1 << 18];

uint8_t *input(void) { return packed; }
uint8_t *output(void) { return unpacked; }

int begin(void) { return lzma_alone_decoder(&stream, UINT64_MAX) == LZMA_OK; }

// Takes so many bytes of the input, or none; gives how many bytes of the output there are, all of it where more may follow, and -1
// where the input is damaged.
int unpack(int size) {
  if (size > 0) {
    stream.next_in = packed;
    stream.avail_in = (size_t)size;
  }
  stream.next_out = unpacked;
  stream.avail_out = sizeof unpacked;
  const lzma_ret done = lzma_code(&stream, LZMA_RUN);
  if (done != LZMA_OK && done != LZMA_STREAM_END && done != LZMA_BUF_ERROR) return -1;
  return (int)(sizeof unpacked - stream.avail_out);
}
