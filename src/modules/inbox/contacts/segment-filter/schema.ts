import { freeObject } from '../../../../lib/fields'
import { SEGMENT_COLUMNS } from './fields'

/** A filter of contacts, as segments have it. */
export const SegmentFilter = freeObject({
  description:
    '`{all: […]}`, `{any: […]}`, `{not: …}` or `{field, op, value}`. Fields: tags, ' +
    `${SEGMENT_COLUMNS.join(', ')}, attributes.<key>, metadata.<key>, campaign (contacts that a ` +
    'campaign sent a message to). Operators: eq, ne, in, nin, gt, gte, lt, lte, contains, ' +
    'starts_with, exists, within_days, not_within_days. Up to 5 levels deep and 50 ' +
    'conditions.',
})

/** A filter for the documentation. */
export const EXAMPLE_FILTER = {
  all: [
    { field: 'tags', op: 'in', value: ['vip'] },
    { not: { field: 'consent', op: 'eq', value: 'opted_out' } },
  ],
}
