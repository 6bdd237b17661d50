import { useState } from 'react'

import { ApiError } from '../../api/error'
import { FilterBuilder } from '../../parts/filter/builder'
import { FilterChips } from '../../parts/filter/chips'
import { MatchCount, usePreview } from '../../parts/filter/match-count'
import type { Filter } from '../../parts/filter/model'
import { writeFilter } from '../../parts/filter/model'
import { useFilter } from '../../parts/filter/use-filter'
import { Section } from '../../parts/page'
import { Select } from '../../parts/select'

const FILTER: Filter = {
  all: [
    { field: 'consent', op: 'in', value: ['opted_in'] },
    { field: 'last_inbound_at', op: 'within_days', value: 90 },
    {
      any: [
        { field: 'country', op: 'in', value: ['DE', 'ES'] },
        { field: 'tags', op: 'exists', value: false },
      ],
    },
  ],
}

/** What the server says about the filter. */
const REFUSALS = {
  none: null,
  refused: new ApiError(400, 'invalid_input', '', {
    ...{ retryAfterS: null, requestId: null, details: null },
    fields: [{ path: 'body.filter.all.2.any.0.value', message: 'must be a country' }],
  }),
  slow: new ApiError(400, 'segment_too_expensive', '', {
    ...{ retryAfterS: null, requestId: null, details: null },
    fields: [{ path: 'body.filter.all.1', message: 'makes the filter too slow' }],
  }),
} as const

/** Conditions in their states. */
export function FilterSection() {
  const [known, setKnown] = useState<Filter | null>(FILTER)
  const [edited, edit] = useFilter(known, setKnown)
  const [refusal, setRefusal] = useState<keyof typeof REFUSALS>('none')
  return (
    <Section title="FilterBuilder">
      <Select
        label="error"
        choices={Object.keys(REFUSALS).map((id) => ({ id: id as typeof refusal, label: id }))}
        value={refusal}
        onChange={setRefusal}
      />
      <FilterChips value={edited} onChange={edit} onOpen={() => undefined} />
      <FilterBuilder value={edited} onChange={edit} error={REFUSALS[refusal]} isChecked />
      <MatchCount preview={usePreview(writeFilter(edited).filter)} />
    </Section>
  )
}
