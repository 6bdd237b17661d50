import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import { FilePart } from '../../../../http/multipart'
import { getTemplate } from '../../../channel/templates/queries'
import { MessageView, TemplateMessageView } from '../model'
import { createTestMessage, createMessage } from './create'
import {
  mediaMessage,
  NewDirectMessage,
  NewMessage,
  PreviewView,
  SEND_REFUSALS,
  templateBody,
} from '../compose/model'
import { templateMessage } from '../compose/template/model'
import { previewMessage } from './preview'
import { sendTemplate } from './send-template'

const ACCEPTED_ANY =
  'Responds once the message is stored with status `pending`; `message:status` events report what ' +
  'happens to it. Lengths are counted in Unicode characters. A text above its limit is rejected ' +
  'with 400, never cut. To react to a message, use ' +
  '`POST /api/contacts/{id}/messages/{message_id}/reaction`.'

const ACCEPTED =
  `${ACCEPTED_ANY} Outside the 24-hour window, all messages but templates and \`direct\` ones ` +
  'fail with 400 `window_closed`.'

const FILE_ACCEPTED =
  'Accepts JSON with `media_id` or `media_url`, or `multipart/form-data` with the file. ' +
  `${ACCEPTED}`

const SENT = { 201: Ok(MessageView) }

const NewMediaMessage = Type.Object(
  {
    ...mediaMessage,
    file: Type.Optional(FilePart('File to send. Alternative to `media_id` and `media_url`.')),
  },
  {
    title: 'MediaMessageRequest',
    examples: [
      {
        phone_number: '+1 555 010 9999',
        type: 'image',
        media_id: '01900000-0000-7000-8000-000000000001',
        caption: 'Your receipt',
      },
    ],
  },
)

const NewTemplateMessage = Type.Object(
  {
    ...templateBody,
    header_file: Type.Optional(
      FilePart('File for the header. Alternative to `header_media_id` and `header_media_url`.'),
    ),
  },
  {
    title: 'TemplateMessageRequest',
    examples: [
      {
        phone_number: '+1 555 010 9999',
        template_name: 'order_shipped',
        language: 'en_US',
        template_params: { '1': 'Ana', '2': '860198' },
      },
    ],
  },
)

const { template_id: _id, template_name: _name, language: _language, ...values } = templateMessage
const TemplateTest = Type.Object(
  {
    phone_number: Type.String({ minLength: 1, maxLength: 40 }),
    ...values,
    account_id: templateBody.account_id,
  },
  { title: 'TemplateTest', examples: [{ phone_number: '+1 555 010 9999' }] },
)

/** Routes that send messages. */
export const sendingRoutes = (http: Http) =>
  new Elysia({ prefix: '/api', tags: ['Messages'] })
    .use(guard(http))
    .post(
      '/contacts/:id/messages',
      async ({ ctx, params, body, status }) =>
        status(201, ok(await createMessage(ctx, { contactId: params.id }, body))),
      {
        can: 'messages:create',
        refuses: SEND_REFUSALS,
        params: IdParam,
        body: NewMessage,
        response: SENT,
        detail: {
          operationId: 'sendContactMessage',
          summary: 'Send a message to a contact',
          description: ACCEPTED,
        },
      },
    )
    .post(
      '/messages',
      async ({ ctx, body, status }) =>
        status(201, ok(await createMessage(ctx, recipientOf(body), body))),
      {
        can: 'messages:create',
        refuses: SEND_REFUSALS,
        body: NewDirectMessage,
        response: SENT,
        detail: {
          operationId: 'sendMessage',
          summary: 'Send a message',
          description:
            'Sends a message to exactly one of `contact_id`, `phone_number` and `user_id`. Creates ' +
            `or restores the contact if none has that number or user ID. ${ACCEPTED}`,
        },
      },
    )
    .post(
      '/messages/media',
      async ({ ctx, body, status }) => {
        const isOn = (value: unknown): boolean => value === true || value === 'true'
        const input = { ...body, voice: isOn(body.voice), take: isOn(body.take) }
        return status(201, ok(await createMessage(ctx, recipientOf(body), input)))
      },
      {
        can: { permission: 'messages:create', upload: { takesJson: true } },
        refuses: [...SEND_REFUSALS, '400 content_mismatch'],
        body: NewMediaMessage,
        response: { 201: Ok(MessageView) },
        detail: {
          operationId: 'sendMediaMessage',
          summary: 'Send a media message',
          description: FILE_ACCEPTED,
        },
      },
    )
    .post(
      '/messages/preview',
      ({ ctx, body }) => ok(previewMessage(ctx, recipientOf(body), body)),
      {
        can: 'messages:create',
        refuses: SEND_REFUSALS,
        body: NewDirectMessage,
        response: { 200: Ok(PreviewView) },
        detail: {
          operationId: 'previewMessage',
          summary: 'Preview a message',
          description:
            'Validates any send body and returns what would be sent. A closed window is reported ' +
            'in the response instead of failing. Nothing is stored or sent.',
        },
      },
    )

/** Routes that send template messages. */
export const templateSendingRoutes = (http: Http) =>
  new Elysia({ prefix: '/api', tags: ['Messages'] }).use(guard(http)).post(
    '/messages/template',
    async ({ ctx, body, status }) => {
      const { header_file, ...input } = body
      return status(
        201,
        ok(await sendTemplate(ctx, recipientOf(body), { ...input, file: header_file })),
      )
    },
    {
      can: { permission: 'messages:create', upload: { takesJson: true } },
      refuses: [...SEND_REFUSALS, '400 content_mismatch'],
      body: NewTemplateMessage,
      response: { 201: Ok(TemplateMessageView) },
      detail: {
        operationId: 'sendTemplateMessage',
        summary: 'Send a template message',
        description:
          'Can be sent at any time, also outside the 24-hour window. Values are validated first: ' +
          'fails with 400 `missing_params` or `invalid_params`. One-time codes are stored ' +
          'encrypted until they are sent and are never returned. Accepts JSON, or ' +
          `\`multipart/form-data\` with the header file. ${ACCEPTED_ANY}`,
      },
    },
  )

/** Routes that send a test template. */
export const templateTestRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/templates', tags: ['Templates'] }).use(guard(http)).post(
    '/:id/test',
    async ({ ctx, params, body, status }) => {
      const { phone_number, ...input } = body
      getTemplate(ctx, params.id)
      return status(
        201,
        ok(
          await createTestMessage(
            ctx,
            { phoneNumber: phone_number },
            { ...input, type: 'template', template_id: params.id },
          ),
        ),
      )
    },
    {
      can: 'messages:create',
      refuses: SEND_REFUSALS,
      params: IdParam,
      body: TemplateTest,
      response: { 201: Ok(MessageView) },
      detail: {
        operationId: 'sendTestTemplate',
        summary: 'Send a test message',
        description:
          'Sends a real template message to a phone number. It costs as much as any other, but ' +
          'reports do not count it as a message.',
      },
    },
  )

const recipientOf = ({
  contact_id,
  phone_number,
  user_id,
}: {
  contact_id?: string
  phone_number?: string
  user_id?: string
}) => ({
  contactId: contact_id,
  phoneNumber: phone_number,
  userId: user_id,
})
