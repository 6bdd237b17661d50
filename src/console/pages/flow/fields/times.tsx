import { useState } from 'react'

import { Switch } from '../../../parts/choice'
import { NumberField } from '../../../parts/field'
import { Select } from '../../../parts/select'
import { USUAL_WEEK, Week } from '../../../parts/week'
import { t } from '../../../texts/texts'
import { objectsIn } from '../model/graph'
import type { FieldProps } from './shape'

const UNITS = [
  ['hours', 3_600],
  ['minutes', 60],
  ['seconds', 1],
] as const

/** How long a flow waits. */
export function SecondsSetting({ config, path, label, onChange }: FieldProps) {
  const seconds = typeof config['seconds'] === 'number' ? config['seconds'] : 60
  const fitting = UNITS.find(([, length]) => seconds % length === 0)?.[0] ?? 'seconds'
  const [unit, setUnit] = useState<string>(fitting)
  const length = UNITS.find(([name]) => name === unit)?.[1] ?? 1
  const value = Math.round(seconds / length)
  return (
    <div className="flow-seconds">
      <NumberField
        name={path}
        label={label}
        value={value}
        range={[1, Math.floor(86_400 / length)]}
        onChange={(number) => {
          onChange({ seconds: number * length })
        }}
      />
      <Select
        label={t('flow.unit')}
        choices={UNITS.map(([id]) => ({ id, label: t(`flow.unit.${id}`) }))}
        value={unit}
        onChange={(next) => {
          setUnit(next)
          onChange({ seconds: value * (UNITS.find(([name]) => name === next)?.[1] ?? 1) })
        }}
      />
    </div>
  )
}

/** The hours between which a flow decides: those of the organization, or a week of its own. */
export function HoursSetting({ config, onChange }: FieldProps) {
  const isUsual = config['use_business_hours'] === true
  const hours = objectsIn(config['schedule']) as unknown as typeof USUAL_WEEK // as the server took it
  return (
    <>
      <Switch
        isSelected={isUsual}
        onChange={(isOn) => {
          onChange({
            use_business_hours: isOn,
            schedule: isOn ? undefined : hours.length > 0 ? hours : USUAL_WEEK,
          })
        }}
      >
        {t('flow.timing.usual')}
      </Switch>
      {!isUsual && (
        <Week
          hours={hours}
          onChange={(schedule) => {
            onChange({ schedule })
          }}
        />
      )}
    </>
  )
}
