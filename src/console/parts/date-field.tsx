import { Suspense } from 'react'

import calendarStyle from '../styles/late/calendar.css'
import type { Bounds } from '../texts/days'
import { styled } from './styled'
import { late } from './late'

/** What a field for one day needs. */
export interface DateProps extends Bounds {
  label: string
  /** Whether the label is only for screen readers. */
  isLabelHidden?: boolean
  hint?: string
  /** The field of the request that it fills, for errors of the server. */
  name?: string
  isDisabled?: boolean
  /** `YYYY-MM-DD`, or `null` for an empty field. */
  value: string | null
  onChange: (day: string) => void
  /** Called when the field is emptied. Without it a day is needed. */
  onClear?: () => void
}

const load = styled(() => import('./date-picker'), calendarStyle)
const DatePicker = late(async () => (await load()).DatePicker)

/** A field for one day: written in the order of the language, or chosen from a calendar. */
export function DateField(props: DateProps) {
  const { label, isLabelHidden = false } = props
  return (
    <Suspense
      fallback={
        <div className="field" aria-busy="true">
          {!isLabelHidden && <span className="react-aria-Label">{label}</span>}
          <div className="select-button" />
        </div>
      }
    >
      <DatePicker {...props} />
    </Suspense>
  )
}
