import { Type, type Static } from '@sinclair/typebox'

import { fieldsOf } from '../report/rules'
import { pointDate, reportFields } from '../report/model'
import { CHATBOT_FIGURES } from './rules'

const orNull = (schema: ReturnType<typeof Type.String>, description: string) =>
  Type.Union([schema, Type.Null()], { description })

const Uuid = Type.String({ format: 'uuid' })

/** The sessions of a bot flow. */
const BotFlowFigures = Type.Object(
  {
    flow_id: Uuid,
    flow_name: orNull(Type.String(), 'Name of the flow; `null` if it was deleted for good.'),
    ...fieldsOf(CHATBOT_FIGURES.by_flow),
    drop_off: Type.Array(
      Type.Object({
        node_id: Type.String(),
        label: orNull(Type.String(), 'Label of the node in the published version.'),
        count: Type.Integer(),
      }),
      { description: 'The nodes at which most sessions were abandoned, up to 10.' },
    ),
  },
  { title: 'BotFlowFigures' },
)
export type BotFlowFigures = Static<typeof BotFlowFigures>

/** A keyword and how often it was hit. */
const KeywordFigures = Type.Object({
  keyword: Type.String(),
  rule_id: orNull(Uuid, 'The keyword rule; `null` for a trigger of a flow.'),
  flow_id: orNull(Uuid, 'The flow that the keyword started; `null` for a rule.'),
  count: Type.Integer({ description: 'Hits in the range.' }),
})
export type KeywordFigures = Static<typeof KeywordFigures>

/** The use of AI. */
const AiFigures = Type.Object({
  ...fieldsOf(CHATBOT_FIGURES.ai_usage),
  currency: Type.String({ examples: ['USD'] }),
})
export type AiFigures = Static<typeof AiFigures>

/** The figures of the chatbot in one point of the timeline. */
export const ChatbotPoint = Type.Object({
  ...pointDate,
  ...fieldsOf(CHATBOT_FIGURES.timeline),
})
export type ChatbotPoint = Static<typeof ChatbotPoint>

const ChatbotSummary = Type.Object(fieldsOf(CHATBOT_FIGURES.summary))
export type ChatbotSummary = Static<typeof ChatbotSummary>

/** The figures of the chatbot. */
export const ChatbotReport = Type.Object(
  {
    summary: ChatbotSummary,
    by_flow: Type.Array(BotFlowFigures, { description: 'Most sessions first.' }),
    top_keywords: Type.Array(KeywordFigures, {
      description: 'The keywords of rules and flows that were hit most often, up to 20.',
    }),
    ai_usage: AiFigures,
    timeline: Type.Array(ChatbotPoint, {
      description: 'One entry for each hour, day, week or month of the range, oldest first.',
    }),
    ...reportFields,
  },
  { title: 'ChatbotReport' },
)
export type ChatbotReport = Static<typeof ChatbotReport>
