import { Type, type Static } from '@sinclair/typebox'

import { LIMITS } from '../compose/rules'
import { templateMessage } from '../compose/template/model'

const Uuid = Type.String({ format: 'uuid' })

/** Whether a number may call a contact. */
export const CallPermissionView = Type.Object(
  {
    contact_id: Uuid,
    account_id: Uuid,
    state: Type.String({
      enum: ['none', 'requested', 'denied', 'temporary', 'permanent'],
      description:
        '`temporary` and `permanent` permit calls. `requested` and `denied` say what became of a ' +
        'request in the last seven days.',
    }),
    expires_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When a temporary permission ends.',
    }),
    can_request: Type.Boolean({ description: 'Whether a request can be sent now.' }),
    next_request_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When the next request can be sent, if a limit is reached.',
    }),
  },
  { title: 'CallPermission' },
)
export type CallPermissionView = Static<typeof CallPermissionView>

const { template_id, template_name, language, ...values } = templateMessage

export const NewCallPermissionRequest = Type.Object(
  {
    account_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'Phone number that wants to call. Defaults to the one last used.',
      }),
    ),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.body,
        description: 'Text of the request inside the 24-hour window. Required without a template.',
      }),
    ),
    template_id,
    template_name,
    language,
    ...values,
  },
  {
    title: 'CallPermissionRequestInput',
    examples: [{ text: 'May we call you about your order?' }],
  },
)
export type NewCallPermissionRequest = Static<typeof NewCallPermissionRequest>
