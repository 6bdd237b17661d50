import { Type, type Static } from '@sinclair/typebox'

import { nameText, oneOf } from '../../../../../lib/fields'

const KEYS = ['welcome_menu', 'faq_ai', 'order_status', 'appointment', 'feedback', 'away'] as const
const LANGUAGES = ['en', 'de', 'es', 'pt', 'ar'] as const

/** A flow to start from. */
export const FlowTemplate = Type.Object(
  {
    key: Type.String({ enum: [...KEYS] }),
    name: Type.String(),
    description: Type.String(),
    languages: Type.Array(Type.String({ enum: [...LANGUAGES] }), {
      description: 'Languages of its texts.',
    }),
    graph: Type.Record(Type.String(), Type.Unknown(), { description: 'With English texts.' }),
  },
  { title: 'BotFlowTemplate' },
)
export type FlowTemplate = Static<typeof FlowTemplate>

/** The template of a new bot flow. */
export const FromTemplate = Type.Object(
  {
    template_key: oneOf(KEYS),
    name: nameText(255),
    account_id: Type.Optional(Type.Union([Type.String({ format: 'uuid' }), Type.Null()])),
    language: Type.Optional(oneOf(LANGUAGES, { description: 'Defaults to `en`.' })),
  },
  {
    title: 'BotFlowFromTemplate',
    examples: [{ template_key: 'welcome_menu', name: 'Menu', language: 'de' }],
  },
)
export type FromTemplate = Static<typeof FromTemplate>
