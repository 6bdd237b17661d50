import { expect, test } from 'bun:test'
import { textPayload } from '../../src/platform/outgoing'

const TEXT = { to: '15550109999', recipient: null, text: 'hi', previewUrl: false, replyTo: null, callbackData: null }

test('a plain text is the smallest body', () => {
  expect(textPayload(TEXT)).toEqual({
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: '15550109999',
    type: 'text',
    text: { preview_url: false, body: 'hi' },
  })
})

test('a reply with preview and callback data carries all three', () => {
  expect(textPayload({ ...TEXT, previewUrl: true, replyTo: 'wamid.T1', callbackData: 'msg_1' })).toMatchObject({
    text: { preview_url: true },
    context: { message_id: 'wamid.T1' },
    biz_opaque_callback_data: 'msg_1',
  })
})

test('a person without phone is addressed by user id', () => {
  const payload = textPayload({ ...TEXT, to: null, recipient: 'US.9' })
  expect(payload).toMatchObject({ recipient: 'US.9' })
  expect(payload).not.toHaveProperty('to')
})

test('both kinds of address never go out together', () => {
  const payload = textPayload({ ...TEXT, recipient: 'US.9' })
  expect(payload).toMatchObject({ to: '15550109999' })
  expect(payload).not.toHaveProperty('recipient')
})

test('line ends become LF and nothing else changes', () => {
  expect(textPayload({ ...TEXT, text: ' a\r\nb\rc\n ' })).toMatchObject({ text: { body: ' a\nb\rc\n ' } })
})

test('a message to nobody is a bug', () => {
  expect(() => textPayload({ ...TEXT, to: null })).toThrow(TypeError)
})
