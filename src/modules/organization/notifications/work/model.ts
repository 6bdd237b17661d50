import { Type, type Static } from '@sinclair/typebox'

import { WORK_KINDS, WORK_STATES } from './table'

const Time = Type.String({ format: 'date-time' })

/** Background work that a person asked for, and how far it is. */
export const WorkView = Type.Object(
  {
    kind: Type.String({
      enum: [...WORK_KINDS],
      description: 'What is done. `contacts` and `conversations` are changes of many at once.',
    }),
    id: Type.String({
      format: 'uuid',
      description:
        'ID of the import, export, privacy request, replay, archive, or job of the change.',
    }),
    title: Type.String({
      description:
        'Name of the file or endpoint, the table that is exported, or the action on contacts; ' +
        'empty for others.',
    }),
    state: Type.String({ enum: [...WORK_STATES] }),
    done: Type.Integer({
      description: 'Rows, records, contacts, conversations, deliveries or erased items.',
    }),
    total: Type.Union([Type.Integer(), Type.Null()], { description: '`null` while unknown.' }),
    link: Type.Union([Type.String(), Type.Null()], {
      description: 'Path in the web client with more information.',
    }),
    started_at: Time,
    ended_at: Type.Union([Time, Type.Null()]),
  },
  { title: 'Work' },
)
export type WorkView = Static<typeof WorkView>
