import type { Loose } from './client'

/** The handle of a sample that the simulated platform knows. */
export const SAMPLE = '4::sample'

/** A kind of template: as it is stored here, as WhatsApp gets it, and how a test of it is sent. */
export interface TemplateKind {
  name: string
  category: 'MARKETING' | 'UTILITY' | 'AUTHENTICATION'
  components: Loose[]
  /** Those components that WhatsApp gets in other words, by their type. */
  wire?: Record<string, Loose>
  /** What is written besides the examples to send it; `null` if people cannot fill it in. */
  written?: Record<string, string> | null
  /** What a test of it sends to the API. */
  params?: Loose
  /** What WhatsApp gets when it is sent. */
  sent?: Loose[]
}

const TEXT = { type: 'BODY', text: 'Have a look at what we have for you.' }
const file = (format: string): Loose => ({
  ...{ type: 'HEADER', format, example: { header_handle: [SAMPLE] } },
})
const buttons = (...list: Loose[]): Loose => ({ type: 'BUTTONS', buttons: list })
const code = (more: Loose, footer: Loose[] = []): Loose[] => [
  { type: 'BODY', add_security_recommendation: footer.length === 0 },
  ...footer,
  buttons({ type: 'OTP', ...more }),
]
const APP = { package_name: 'com.example.bakery', signature_hash: 'K8a/AINcGX7' }
const CODE_SENT = [
  { type: 'body', parameters: [{ type: 'text', text: '123456' }] },
  {
    ...{ type: 'button', sub_type: 'url', index: '0' },
    parameters: [{ type: 'text', text: '123456' }],
  },
]
const NONE = { template_params: {}, header_params: {}, button_params: {} }
const CODE_PARAMS = { ...NONE, template_params: { '1': '123456' } }
const text = (value: string): Loose => ({ type: 'text', text: value })
const cakeCard = (cake: string, price: string): Loose => ({
  components: [
    file('IMAGE'),
    { type: 'BODY', text: 'Our {{1}} is baked today.', example: { body_text: [[cake]] } },
    buttons(
      { type: 'URL', text: 'Order', url: 'https://example.com/{{1}}', example: [price] },
      { type: 'QUICK_REPLY', text: 'More' },
    ),
  ],
})
const productCard: Loose = {
  components: [{ type: 'HEADER', format: 'PRODUCT' }, buttons({ type: 'SPM', text: 'View' })],
}

const LETTERS = 'a b c d e f g h i j'.split(' ')

/** One template of every kind that the API takes. */
export const TEMPLATE_KINDS: readonly TemplateKind[] = [
  {
    ...{ name: 'words', category: 'UTILITY' },
    components: [
      {
        ...{ type: 'HEADER', format: 'TEXT', text: 'Order {{order}}' },
        example: { header_text_named_params: [{ param_name: 'order', example: '7' }] },
      },
      {
        ...{ type: 'BODY', text: 'Hello {{name}}, your order {{order}} is ready for you.' },
        example: {
          body_text_named_params: [
            { param_name: 'name', example: 'Ana' },
            { param_name: 'order', example: '7' },
          ],
        },
      },
      { type: 'FOOTER', text: 'Reply STOP to get no more of these' },
      buttons(
        { type: 'QUICK_REPLY', text: 'Thanks' },
        { type: 'URL', text: 'Follow', url: 'https://example.com/{{1}}', example: ['4711'] },
        { type: 'PHONE_NUMBER', text: 'Call us', phone_number: '15550100000' },
      ),
    ],
    params: {
      template_params: { name: 'Ana', order: '7' },
      ...{ header_params: { order: '7' }, button_params: { '1': '4711' } },
    },
    sent: [
      { type: 'header', parameters: [{ ...text('7'), parameter_name: 'order' }] },
      {
        type: 'body',
        parameters: [
          { ...text('Ana'), parameter_name: 'name' },
          { ...text('7'), parameter_name: 'order' },
        ],
      },
      { type: 'button', sub_type: 'url', index: '1', parameters: [text('4711')] },
    ],
  },
  {
    ...{ name: 'ten_values', category: 'UTILITY' },
    components: [
      {
        type: 'BODY',
        text: `We say ${'1 2 3 4 5 6 7 8 9 10'.replaceAll(/\d+/g, 'some more words {{$&}} and')} no more.`,
        example: { body_text: [LETTERS] },
      },
    ],
    params: {
      ...NONE,
      template_params: Object.fromEntries(
        LETTERS.map((value, index) => [String(index + 1), value]),
      ),
    },
    sent: [{ type: 'body', parameters: LETTERS.map(text) }],
  },
  ...(['IMAGE', 'VIDEO', 'GIF', 'DOCUMENT'] as const).map((format) => ({
    ...{ name: format.toLowerCase(), category: 'MARKETING' as const },
    components: [file(format), TEXT],
  })),
  {
    ...{ name: 'location', category: 'UTILITY' },
    components: [{ type: 'HEADER', format: 'LOCATION' }, TEXT],
    written: { 'header.latitude': '53.1', 'header.longitude': '8.8', 'header.name': 'Bakery' },
    params: {
      ...NONE,
      header_params: { name: 'Bakery', latitude: '53.1', longitude: '8.8' },
    },
  },
  {
    ...{ name: 'offer', category: 'MARKETING' },
    components: [
      { type: 'LIMITED_TIME_OFFER', text: 'Bread for two', has_expiration: true },
      TEXT,
      buttons(
        { type: 'COPY_CODE', example: 'BREAD25' },
        { type: 'URL', text: 'Shop', url: 'https://example.com' },
      ),
    ],
    wire: {
      LIMITED_TIME_OFFER: {
        type: 'LIMITED_TIME_OFFER',
        limited_time_offer: { text: 'Bread for two', has_expiration: true },
      },
    },
    written: { offer_expires_at: '2030-01-01T00:00:00.000Z' },
    params: {
      ...{ ...NONE, button_params: { '0': 'BREAD25' } },
      offer_expires_at: '2030-01-01T00:00:00.000Z',
    },
  },
  {
    ...{ name: 'carousel', category: 'MARKETING' },
    components: [
      TEXT,
      { type: 'CAROUSEL', cards: [cakeCard('lemon cake', 'l'), cakeCard('plum cake', 'p')] },
    ],
    // each card needs a file of this server, which is chosen when it is sent
    written: null,
  },
  {
    ...{ name: 'product_cards', category: 'MARKETING' },
    components: [TEXT, { type: 'CAROUSEL', cards: [productCard, productCard] }],
    written: null,
  },
  {
    ...{ name: 'catalog', category: 'MARKETING' },
    components: [TEXT, buttons({ type: 'CATALOG', text: 'View catalog' })],
    params: NONE,
    sent: [],
  },
  {
    ...{ name: 'products', category: 'MARKETING' },
    components: [TEXT, buttons({ type: 'MPM', text: 'View items' })],
    written: null,
  },
  {
    ...{ name: 'product', category: 'MARKETING' },
    components: [
      { type: 'HEADER', format: 'PRODUCT' },
      TEXT,
      buttons({ type: 'SPM', text: 'View' }),
    ],
    written: null,
  },
  {
    ...{ name: 'form', category: 'UTILITY' },
    components: [
      TEXT,
      buttons({
        ...{ type: 'FLOW', text: 'Book', flow_id: '4711' },
        ...{ flow_action: 'navigate', screen: 'FIRST' },
      }),
    ],
    wire: {
      BUTTONS: buttons({
        ...{ type: 'FLOW', text: 'Book', flow_id: '4711' },
        ...{ flow_action: 'navigate', navigate_screen: 'FIRST' },
      }),
    },
  },
  ...(['VOICE_CALL', 'CALL_PERMISSION_REQUEST', 'REQUEST_CONTACT_INFO'] as const).map((type) => ({
    ...{ name: type.toLowerCase(), category: 'UTILITY' as const },
    components: [TEXT, buttons({ type, text: 'Call' })],
  })),
  {
    ...{ name: 'code_copied', category: 'AUTHENTICATION' },
    components: code({ otp_type: 'COPY_CODE', text: 'Copy it' }, [
      { type: 'FOOTER', code_expiration_minutes: 5 },
    ]),
    ...{ params: CODE_PARAMS, sent: CODE_SENT },
  },
  {
    ...{ name: 'code_one_tap', category: 'AUTHENTICATION' },
    components: code({ otp_type: 'ONE_TAP', autofill_text: 'Fill in', supported_apps: [APP] }),
    ...{ params: CODE_PARAMS, sent: CODE_SENT },
  },
  {
    ...{ name: 'code_zero_tap', category: 'AUTHENTICATION' },
    components: code({
      ...{ otp_type: 'ZERO_TAP', supported_apps: [APP, { ...APP, package_name: 'com.example.b' }] },
      zero_tap_terms_accepted: true,
    }),
    ...{ params: CODE_PARAMS, sent: CODE_SENT },
  },
]
