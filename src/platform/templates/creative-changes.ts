import type { JsonObject } from '../lenient-json'

/**
 * Everything that the platform may change in a marketing message without being asked (platform
 * documentation: automatic creative optimizations).
 */
const FEATURES = [
  'add_text_overlay',
  'auto_promotion_tag',
  'dynamic_cta_text',
  'hyperlink_formatting',
  'image_animation',
  'image_background_gen',
  'image_banner',
  'image_brightness_and_contrast',
  'image_touchups',
  'product_extensions',
  'text_extraction_for_headline',
  'text_extraction_for_tap_target',
  'text_formatting_optimization',
] as const

/** Returns the part of a template or business account that forbids all changes, or allows them. */
export const creativeChangesSpec = ({ isOptedOut }: { isOptedOut: boolean }): JsonObject => ({
  degrees_of_freedom_spec: {
    creative_features_spec: Object.fromEntries(
      FEATURES.map((name) => [name, { enroll_status: isOptedOut ? 'OPT_OUT' : 'OPT_IN' }]),
    ),
  },
})
