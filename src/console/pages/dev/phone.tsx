import { Section } from '../../parts/page'
import { messageOf, type PhoneMessage } from '../../parts/phone/message'
import { PhonePreview } from '../../parts/phone/preview'

const NOTHING: PhoneMessage = { header: null, body: '', footer: '', buttons: [] }

const card = (words: string) => ({
  header: { kind: 'image', file: null } as const,
  body: words,
  buttons: [
    { kind: 'link', text: 'URL' },
    { kind: 'reply', text: 'QUICK_REPLY' },
  ] as const,
})

/** A message of each kind. */
const MESSAGES: Record<string, PhoneMessage> = {
  text: {
    ...NOTHING,
    header: { kind: 'text', text: 'header' },
    body: '*bold* _italic_ ~struck~ `code`\nhttps://example.com',
    footer: 'footer',
    buttons: [{ kind: 'reply', text: 'QUICK_REPLY' }],
  },
  image: { ...NOTHING, header: { kind: 'image', file: null }, body: 'image' },
  video: { ...NOTHING, header: { kind: 'video', file: null }, body: 'video' },
  document: {
    ...NOTHING,
    header: { kind: 'document', file: null, name: `${'x'.repeat(80)}.pdf` },
    body: 'document',
  },
  location: {
    ...NOTHING,
    header: { kind: 'location', name: 'name', address: 'address' },
    body: 'location',
  },
  buttons: {
    ...NOTHING,
    body: 'buttons',
    buttons: (
      ['reply', 'link', 'phone', 'copy', 'form', 'products', 'call', 'contact'] as const
    ).map((kind) => ({ kind, text: '' })),
  },
  list: {
    ...NOTHING,
    body: 'list',
    list: {
      button: 'button',
      sections: [{ title: 'section', rows: [{ title: 'row', description: 'description' }] }],
    },
  },
  offer: {
    ...NOTHING,
    header: { kind: 'image', file: null },
    body: 'offer',
    offer: { text: 'offer', expiresAt: '2026-12-31T12:00:00.000Z', code: 'CODE' },
    buttons: [{ kind: 'copy', text: '' }],
  },
  carousel: { ...NOTHING, body: 'carousel', cards: [card('first'), card('second'), card('third')] },
  authentication: messageOf(
    {
      components: [
        { type: 'BODY', add_security_recommendation: true },
        { type: 'FOOTER', code_expiration_minutes: 10 },
        { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
      ],
      language: 'en',
      category: 'AUTHENTICATION',
    },
    { body: { 1: '123456' } },
  ),
  arabic: {
    ...NOTHING,
    body: '\u0645\u0631\u062d\u0628\u0627 *123*',
    footer: '\u0645\u0631\u062d\u0628\u0627',
    buttons: [{ kind: 'reply', text: '\u0646\u0639\u0645' }],
    language: 'ar',
  },
  nothing: NOTHING,
}

/** A phone with each kind of message. */
export const PhonePart = () => (
  <Section title="PhonePreview">
    <div className="fields">
      {Object.entries(MESSAGES).map(([kind, message]) => (
        <PhonePreview key={kind} label={kind} message={message} />
      ))}
    </div>
  </Section>
)
