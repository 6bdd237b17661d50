import { Fragment } from 'react'

import { t } from '../../texts/texts'
import { PlainButton } from '../button'
import { DateField } from '../date-field'
import { NumberField, TextField } from '../field'
import { FoundName, useFound, type Kind } from '../found-select'
import { Icon } from '../icons'
import { Picker } from '../picker'
import { Popover } from '../popover'
import { valueKindOf, type Field } from './fields'
import type { Condition } from './model'

/** Days of a condition about a time. */
const DAYS = [1, 36_500] as const
/** The kinds of fields whose values the server finds by their name. */
const FOUND: Partial<Record<Field['kind'], Kind>> = {
  tag: 'tag',
  colleague: 'colleague',
  account: 'account',
  campaign: 'campaign',
}

/** Returns the values of a condition that has several. */
export const listIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')

interface Props {
  field: Field
  condition: Condition
  onChange: (change: Partial<Condition>) => void
}

/** The field in which the value of a condition is entered. */
export function ValueField({ field, condition, onChange }: Props) {
  const { op, value } = condition
  const kind = valueKindOf(field.kind, op)
  const set = (next: unknown): void => {
    onChange({ value: next })
  }
  if (kind === 'none') return null
  if (kind === 'list') return <ListField {...{ field, condition, onChange }} />
  if (kind === 'days')
    return (
      <NumberField
        name={condition.id}
        label={t('filter.days')}
        value={typeof value === 'number' ? value : null}
        range={DAYS}
        onChange={set}
        onClear={() => {
          set(undefined)
        }}
      />
    )
  if (kind === 'date')
    return (
      <DateField
        label={t('filter.date')}
        value={typeof value === 'string' ? value.slice(0, 10) : null}
        onChange={set}
        onClear={() => {
          set(undefined)
        }}
      />
    )
  if (kind === 'number') return <AnyNumber {...{ condition, set }} />
  return (
    <TextField
      label={t('filter.value')}
      value={typeof value === 'string' ? value : ''}
      maxLength={255}
      onChange={set}
    />
  )
}

/** A number with a sign and decimals. */
function AnyNumber({ condition, set }: { condition: Condition; set: (value: unknown) => void }) {
  return (
    <TextField
      label={t('filter.value')}
      type="number"
      defaultValue={typeof condition.value === 'number' ? String(condition.value) : ''}
      onChange={(text) => {
        const number = Number(text)
        set(text === '' || !Number.isFinite(number) ? undefined : number)
      }}
    />
  )
}

function ListField({ field, condition, onChange }: Props) {
  const chosen = listIn(condition.value)
  const choose = (ids: Set<string>): void => {
    const { op } = condition
    onChange({ op: op === 'eq' ? 'in' : op === 'ne' ? 'nin' : op, value: [...ids] })
  }
  const found = FOUND[field.kind]
  return (
    <Popover
      label={field.label}
      placement="bottom start"
      button={
        <PlainButton className="select-button">
          <span className="visually-hidden">{t('filter.value-of')}</span>
          <span className="filter-values">
            {chosen.length === 0 ? (
              <span className="muted">{t('filter.pick')}</span>
            ) : (
              <ValueNames field={field} values={chosen} />
            )}
          </span>
          <Icon name="down" size={16} />
        </PlainButton>
      }
    >
      {found === undefined ? (
        <Picker
          label={field.label}
          items={field.choices ?? []}
          chosen={new Set(chosen)}
          onPick={() => undefined}
          onChoose={choose}
        />
      ) : (
        <FoundPicker kind={found} label={field.label} chosen={new Set(chosen)} onChoose={choose} />
      )}
    </Popover>
  )
}

interface FoundProps {
  kind: Kind
  label: string
  chosen: ReadonlySet<string>
  onChoose: (ids: Set<string>) => void
}

function FoundPicker({ kind, label, chosen, onChoose }: FoundProps) {
  const { entries, onSearch } = useFound(kind)
  return (
    <Picker
      label={label}
      items={entries.map(({ id, name }) => ({ id, label: name }))}
      chosen={chosen}
      onPick={() => undefined}
      onChoose={(ids) => {
        // those that the search does not list stay chosen
        const listed = new Set(entries.map(({ id }) => id))
        onChoose(new Set([...[...chosen].filter((id) => !listed.has(id)), ...ids]))
      }}
      {...(onSearch ? { onSearch } : {})}
    />
  )
}

/** The values of a condition as words. */
export function ValueNames({ field, values }: { field: Field; values: readonly string[] }) {
  const kind = FOUND[field.kind]
  return values.map((value, nth) => (
    <Fragment key={value}>
      {nth > 0 && ', '}
      {kind === undefined ? (
        <bdi>{field.choices?.find(({ id }) => id === value)?.label ?? value}</bdi>
      ) : (
        <FoundName kind={kind} id={value} />
      )}
    </Fragment>
  ))
}
