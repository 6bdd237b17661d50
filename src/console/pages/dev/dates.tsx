import { useState } from 'react'

import { DateField } from '../../parts/date-field'
import { DateRange } from '../../parts/date-range'
import { Section } from '../../parts/page'

/** Fields for days, for those who develop the console. */
export function DatesSection() {
  const [days, setDays] = useState('7d')
  const [day, setDay] = useState<string | null>('2026-02-28')
  return (
    <Section title="DateRange">
      <div className="form dev-parts">
        <DateRange label="DateRange" value={days} onChange={setDays} />
        <output aria-label="days">{days}</output>
        <DateField
          label="DateField"
          hint="first, last"
          first="2026-02-10"
          last="2026-03-20"
          value={day}
          onChange={setDay}
          onClear={() => {
            setDay(null)
          }}
        />
        <DateField label="DateField isDisabled" isDisabled value={day} onChange={setDay} />
        <output aria-label="day">{day ?? 'none'}</output>
      </div>
    </Section>
  )
}
