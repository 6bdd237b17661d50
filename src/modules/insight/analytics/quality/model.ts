import { Type, type Static } from '@sinclair/typebox'

import { pointDate, reportFields } from '../report/model'
import { fieldsOf } from '../report/rules'
import { QUALITY_FIGURES } from './rules'

/** What quality can be compared by. */
export const QUALITY_GROUPS = ['hour', 'weekday', 'team', 'agent', 'account', 'tag'] as const
export type QualityGroupBy = (typeof QUALITY_GROUPS)[number]

const figures = fieldsOf(QUALITY_FIGURES.summary)
const QualityFigures = Type.Object(figures, { title: 'QualityFigures' })
export type QualityFigures = Static<typeof QualityFigures>

/** The quality of a part of the work. */
export const QualityGroup = Type.Object(
  {
    key: Type.Union([Type.String(), Type.Null()], {
      description:
        'Hour of the day (0 to 23), day of the week (1 is Monday), or the ID of the team, member, ' +
        'account or tag. `null` for work of people without a team, or about contacts without a tag.',
    }),
    name: Type.Union([Type.String(), Type.Null()], {
      description: 'Name of the team, member, account or tag.',
    }),
    ...figures,
  },
  { title: 'QualityGroup' },
)
export type QualityGroup = Static<typeof QualityGroup>

/** The quality in one point of the timeline. */
export const QualityPoint = Type.Object({ ...pointDate, ...figures }, { title: 'QualityPoint' })
export type QualityPoint = Static<typeof QualityPoint>

/** How fast customers are answered, and how well deadlines are met. */
export const QualityReport = Type.Object(
  {
    summary: QualityFigures,
    groups: Type.Array(QualityGroup, {
      description:
        'All hours or days of the week in their order; otherwise the slowest answers first. Empty ' +
        'without `group_by`.',
    }),
    timeline: Type.Array(QualityPoint, {
      description: 'One entry for each hour, day, week or month of the range, oldest first.',
    }),
    ...reportFields,
  },
  { title: 'QualityReport' },
)
export type QualityReport = Static<typeof QualityReport>
