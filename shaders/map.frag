// Draws a matrix as a heatmap. The rule is that of engine/picture/rasterizer.h, which a test compares with, pixel by pixel.
uniform sampler2D cells;    // R32F, one texel a cell; row 0 on top
uniform sampler2D colors;   // the colour map, one row
uniform ivec2 size;         // pixels of the map
uniform ivec2 extent;       // columns and rows
uniform int gap;            // pixels between cells; 0: none
uniform float scale;        // t = value · scale + offset
uniform float offset;
uniform int period;         // of hatching, pixels
uniform float hatch_width;
uniform float stripe_width;
uniform vec3 canvas;
uniform vec3 hatch_line;
uniform vec3 hatch_ground;
uniform vec3 stripe_line;
uniform vec3 stripe_ground;
out vec4 color;

ivec2 cell_at(ivec2 pixel) { return ((2 * pixel + 1) * extent) / (2 * size); }

float coverage(int phase, float thickness) {
  float distance = abs(float(phase) - 0.5 * float(period)) * 0.70710678;
  return clamp(0.5 * thickness + 0.5 - distance, 0.0, 1.0);
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  ivec2 cell = cell_at(pixel);
  ivec2 beyond = cell_at(pixel + gap);
  bvec2 at_edge = bvec2(beyond.x != cell.x && cell.x + 1 < extent.x, beyond.y != cell.y && cell.y + 1 < extent.y);
  if (gap > 0 && any(at_edge)) {
    color = vec4(canvas, 1.0);
    return;
  }
  float value = texelFetch(cells, cell, 0).r;
  if (isinf(value) && value < 0.0) {
    color = vec4(mix(hatch_ground, hatch_line, coverage((pixel.x + pixel.y) % period, hatch_width)), 1.0);
  } else if (isnan(value) || isinf(value)) {
    int phase = ((pixel.x - pixel.y) % period + period) % period;
    color = vec4(mix(stripe_ground, stripe_line, coverage(phase, stripe_width)), 1.0);
  } else {
    int entries = textureSize(colors, 0).x;
    float t = clamp(value * scale + offset, 0.0, 1.0);
    color = vec4(texelFetch(colors, ivec2(int(t * float(entries - 1) + 0.5), 0), 0).rgb, 1.0);
  }
}
