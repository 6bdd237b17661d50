import { Type, type Static } from '@sinclair/typebox'

import { fieldsOf } from '../report/rules'
import { pointDate, reportFields } from '../report/model'
import { MESSAGE_FIGURES } from './rules'

const { unique_contacts, ...summary } = fieldsOf(MESSAGE_FIGURES.summary)

/** The messages of one hour, day, week or month. */
export const MessagePoint = Type.Object(
  { ...pointDate, ...fieldsOf(MESSAGE_FIGURES.timeline) },
  { title: 'MessagePoint' },
)
export type MessagePoint = Static<typeof MessagePoint>

/** The messages of a period. */
export const MessageReport = Type.Object(
  {
    summary: Type.Object({
      ...summary,
      unique_contacts: Type.Union([unique_contacts, Type.Null()], {
        description: MESSAGE_FIGURES.summary.unique_contacts.text,
      }),
    }),
    by_type: Type.Record(Type.String(), Type.Integer(), {
      description: 'Sent and received messages by type. Types without messages are left out.',
      examples: [{ text: 120, image: 8 }],
    }),
    timeline: Type.Array(MessagePoint, {
      description: 'One entry for each hour, day, week or month, oldest first.',
    }),
    ...reportFields,
  },
  { title: 'MessageReport' },
)
export type MessageReport = Static<typeof MessageReport>
