import { Type, type Static } from '@sinclair/typebox'

const Time = Type.String({ format: 'date-time' })

/** Times of asking that an organization keeps; the oldest ones make room. */
export const MAX_QUESTIONS = 1_000

/** Characters that are kept of a question. */
export const MAX_QUESTION = 500

/** A question that no knowledge is about, with everybody who asked it in the same words. */
export const AiQuestionView = Type.Object(
  {
    id: Type.String({
      format: 'uuid',
      description: 'ID of the last time it was asked. Earlier IDs of the question work too.',
    }),
    text: Type.String({ description: 'The last wording, up to 500 characters.' }),
    times: Type.Integer({ description: 'How often customers asked it.' }),
    first_asked_at: Time,
    last_asked_at: Time,
    is_done: Type.Boolean({ description: 'Whether somebody has dealt with it.' }),
  },
  { title: 'AiQuestion' },
)
export type AiQuestionView = Static<typeof AiQuestionView>

/** Marks a question as done, or opens it again. */
export const AiQuestionChanges = Type.Object(
  { is_done: Type.Boolean() },
  { title: 'AiQuestionChanges', minProperties: 1, examples: [{ is_done: true }] },
)
