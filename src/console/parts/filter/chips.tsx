import { formatDate } from '../../texts/format'
import { t } from '../../texts/texts'
import { IconButton, PlainButton } from '../button'
import { comparisonsOf, useFields, valueKindOf, type Fields } from './fields'
import {
  changeEntry,
  conditionsIn,
  isComplete,
  isGroup,
  type Condition,
  type Entry,
  type Group,
} from './model'
import { listIn, ValueNames } from './value'

interface Props {
  value: Group
  onChange: (value: Group) => void
  /** Opens the editor. */
  onOpen: () => void
}

/** The conditions of a filter in a few words each; each can be taken away. */
export function FilterChips({ value, onChange, onOpen }: Props) {
  const fields = useFields()
  const entries = value.entries.filter((one) => isGroup(one) || isComplete(one))
  if (entries.length === 0) return null
  return (
    <ul className="filter-chips" aria-label={t('filter.title')}>
      {value.mode !== 'all' && entries.length > 1 && (
        <li className="muted">{t(`filter.${value.mode}`)}</li>
      )}
      {entries.map((entry) => (
        <li key={entry.id} className="chip">
          <PlainButton onPress={onOpen}>
            <span>
              <Words entry={entry} fields={fields} />
            </span>
          </PlainButton>
          <IconButton
            icon="close"
            size={14}
            label={t('parts.action.remove', { name: nameOf(entry, fields) })}
            onPress={() => {
              onChange(changeEntry(value, entry.id, () => null))
            }}
          />
        </li>
      ))}
    </ul>
  )
}

const nameOf = (entry: Entry, fields: Fields): string =>
  isGroup(entry) ? t('filter.group') : fields.of(entry.field).label

function Words({ entry, fields }: { entry: Entry; fields: Fields }) {
  if (!isGroup(entry)) return <ConditionWords condition={entry} fields={fields} />
  const count = conditionsIn(entry)
  return [t(`filter.${entry.mode}`), t('filter.chip.group', { count })].join(': ')
}

function ConditionWords({ condition, fields }: { condition: Condition; fields: Fields }) {
  const field = fields.of(condition.field)
  const { op, value } = condition
  const name = <b>{field.label}</b>
  const kind = valueKindOf(field.kind, op)
  if (op === 'within_days' || op === 'not_within_days')
    return (
      <>
        {name} {t(`filter.chip.${op}`, { value: Number(value) })}
      </>
    )
  const words = comparisonsOf(field.kind, op).find(({ id }) => id === op)?.label
  return (
    <>
      {name} {words} {kind === 'list' && <ValueNames field={field} values={listIn(value)} />}
      {kind === 'date' && typeof value === 'string' && formatDate(value)}
      {(kind === 'text' || kind === 'number') && <bdi>{String(value)}</bdi>}
    </>
  )
}
