/** Maximum lengths in Unicode code points (platform documentation 2.3). */
export const LIMITS = {
  text: 4_096,
  /** A text outside of the 24-hour window without a template. */
  directText: 1_024,
  caption: 1_024,
  filename: 240,
  body: 1_024,
  listBody: 4_096,
  header: 60,
  footer: 60,
  buttonTitle: 20,
  buttonId: 256,
  buttonText: 20,
  draftButtonText: 30,
  screen: 100,
  sectionTitle: 24,
  rowTitle: 24,
  rowId: 200,
  rowDescription: 72,
  url: 2_000,
  place: 1_000,
  productId: 256,
  cardText: 1_000,
  cardBody: 160,
  reference: 35,
  orderDescription: 120,
  callPayload: 512,
  callMinutes: 43_200,
} as const

/** Maximum numbers of elements. */
export const MAX_COUNTS = {
  buttons: 3,
  sections: 10,
  rows: 10,
  products: 30,
  contacts: 257,
  cardEntries: 50,
  carouselCards: 10,
  orderItems: 999,
  savedAddresses: 100,
} as const

/** Kinds of interactive messages that can be sent without a template outside of the window. */
export const DIRECT_KINDS: readonly string[] = ['button', 'cta_url']

/** Files that the header of an interactive message can be. */
export const HEADER_FILES = ['image', 'video', 'document'] as const

/** States of an order that the platform shows to the customer. */
export const ORDER_STATUSES = [
  'pending',
  'processing',
  'partially_shipped',
  'shipped',
  'completed',
  'canceled',
] as const

/** Fewest cards of a carousel. */
export const MIN_CARDS = 2
