import { Type, type Static } from '@sinclair/typebox'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const uuidOrNull = Type.Union([Uuid, Type.Null()])
const textOrNull = Type.Union([Type.String(), Type.Null()])

/** An entry of the consent history. */
export const ConsentView = Type.Object(
  {
    id: Uuid,
    purpose: Type.String({ enum: ['marketing'] }),
    state: Type.String({ enum: ['opted_in', 'opted_out'] }),
    source: Type.String({ enum: ['keyword', 'platform', 'agent', 'import', 'api', 'chatbot'] }),
    evidence: Type.Union([Type.String(), Type.Null()], {
      description: 'Evidence of the consent, as entered.',
    }),
    message_id: Type.Union([Uuid, Type.Null()], {
      description: 'Message in which the contact stated it.',
    }),
    actor: Type.Union([Type.Object({ id: uuidOrNull, name: textOrNull }), Type.Null()]),
    created_at: Time,
  },
  { title: 'Consent' },
)
export type ConsentView = Static<typeof ConsentView>

/** Body of a new consent entry. */
export const NewConsent = Type.Object(
  {
    purpose: Type.Optional(Type.Literal('marketing')),
    state: Type.Union([Type.Literal('opted_in'), Type.Literal('opted_out')]),
    evidence: Type.Optional(
      Type.String({
        maxLength: 1_024,
        description: 'Evidence of the consent, for example a form.',
      }),
    ),
  },
  {
    title: 'ConsentInput',
    examples: [{ state: 'opted_in', evidence: 'Form at the counter, 12 March' }],
  },
)
export type NewConsent = Static<typeof NewConsent>

/** A list of keywords. */
const Keywords = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  maxItems: 50,
  description:
    'Keywords. One counts only if it is the whole message. Case, accents and punctuation are ' +
    'ignored. A word that the open question of a bot flow offers is its answer, and an ambiguous ' +
    'one such as BASTA or ENDE does not count while a question is open.',
})
const Reply = (to: string) =>
  Type.Union([Type.String({ maxLength: 4_096 }), Type.Null()], {
    description: `Reply to an ${to}, a Liquid template with \`contact\`. \`null\` = our confirmation, in the customer's language; empty = no reply.`,
  })

const settings = {
  opt_out_keywords: Keywords,
  opt_in_keywords: Keywords,
  opt_out_reply: Reply('opt-out'),
  opt_in_reply: Reply('opt-in'),
}

/** Opt-out and opt-in keywords with their replies. */
export const ConsentSettings = Type.Object(settings)
export type ConsentSettings = Static<typeof ConsentSettings>

/** The keywords in API responses. */
export const ConsentSettingsView = Type.Object(
  {
    ...settings,
    updated_at: Type.String({
      format: 'date-time',
      description: 'Time of the last change, for `If-Match`. 1970 if there was none.',
    }),
  },
  { title: 'ConsentSettings' },
)
export type ConsentSettingsView = Static<typeof ConsentSettingsView>

/** Changes to the keywords. Omitted fields stay unchanged. */
export const ConsentSettingsChanges = Type.Partial(Type.Object(settings), {
  title: 'ConsentSettingsChanges',
  minProperties: 1,
  examples: [
    {
      opt_out_keywords: ['STOP', 'BAJA'],
      opt_out_reply: 'You will no longer receive offers. Write START to receive them again.',
    },
  ],
})
export type ConsentSettingsChanges = Static<typeof ConsentSettingsChanges>
