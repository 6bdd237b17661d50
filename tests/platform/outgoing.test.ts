import { describe, expect, test } from 'bun:test'

import { messagePayload, type Envelope } from '../../src/platform/send/payload'

const TO: Envelope = {
  to: '15550109999',
  recipient: null,
  replyTo: null,
  callbackData: null,
  messagingAccountId: null,
}
const NOTHING = { previewUrl: false, mediaId: null }
const text = (words = 'hi') => ({ type: 'text' as const, content: { text: words } })

describe('the request body of a message', () => {
  test('is minimal for a plain text', () => {
    expect(messagePayload(TO, text(), NOTHING)).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+15550109999',
      type: 'text',
      text: { preview_url: false, body: 'hi' },
    })
  })

  test('carries quote, preview, callback data and messaging account', () => {
    const envelope = { ...TO, replyTo: 'wamid.T1', callbackData: 'msg_1', messagingAccountId: '7' }
    expect(messagePayload(envelope, text(), { ...NOTHING, previewUrl: true })).toMatchObject({
      text: { preview_url: true },
      context: { message_id: 'wamid.T1' },
      biz_opaque_callback_data: 'msg_1',
      messaging_account_id: '7',
    })
  })

  test('addresses a person without a phone number by user ID', () => {
    const payload = messagePayload({ ...TO, to: null, recipient: 'US.9' }, text(), NOTHING)
    expect(payload).toMatchObject({ recipient: 'US.9' })
    expect(payload).not.toHaveProperty('to')
  })

  test('never has both recipient fields', () => {
    const payload = messagePayload({ ...TO, recipient: 'US.9' }, text(), NOTHING)
    expect(payload).toMatchObject({ to: '+15550109999' })
    expect(payload).not.toHaveProperty('recipient')
  })

  test('normalizes line ends to LF and changes nothing else', () => {
    expect(messagePayload(TO, text(' a\r\nb\rc\n '), NOTHING)).toMatchObject({
      text: { body: ' a\nb\rc\n ' },
    })
  })

  test('without a recipient throws TypeError', () => {
    expect(() => messagePayload({ ...TO, to: null }, text(), NOTHING)).toThrow(TypeError)
  })
})
