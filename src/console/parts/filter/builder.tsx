import { useId, type ReactNode } from 'react'

import { ApiError } from '../../api/error'
import { t } from '../../texts/texts'
import { Button, IconButton } from '../button'
import { Icon } from '../icons'
import { SearchSelect } from '../search-select'
import { Select } from '../select'
import { comparisonsOf, firstComparison, useFields, type Field, type Fields } from './fields'
import {
  changeEntry,
  condition,
  entryAt,
  group,
  isComplete,
  isGroup,
  writeFilter,
  type Condition,
  type Entry,
  type Group,
} from './model'
import { ValueField } from './value'
import { valueKindOf } from './fields'

/** How deep groups may be inside of each other; the server takes two levels more. */
const DEEPEST = 3

interface Props {
  value: Group
  onChange: (value: Group) => void
  /** What the server said about the filter, shown at the condition that it is about. */
  error?: unknown
  /** Whether conditions that say too little are marked. */
  isChecked?: boolean
  /** What can be done with the filter. */
  children?: ReactNode
}

interface Tools extends Required<Pick<Props, 'isChecked'>> {
  fields: Fields
  change: (id: string, change: (entry: Entry) => Entry | null) => void
  /** The entry that the server refused, and why. */
  refused: { id: string | null; words: string } | null
}

/** Returns which condition of a filter the server refused, or `null`. */
function refusalOf(value: Group, error: unknown): Tools['refused'] {
  if (!(error instanceof ApiError)) return null
  const [problem] = error.more.fields
  if (!problem?.path.includes('filter')) return null
  const words =
    error.code === 'segment_too_expensive'
      ? t('filter.too-slow')
      : t('filter.refused', { reason: problem.message })
  return { id: entryAt(writeFilter(value), problem.path), words }
}

/** Conditions by which people are found, in groups that all or any of them have to meet. */
export function FilterBuilder({ value, onChange, error, isChecked = false, children }: Props) {
  const fields = useFields()
  const tools: Tools = {
    ...{ fields, isChecked, refused: refusalOf(value, error) },
    change: (id, change) => {
      onChange(id === value.id ? (change(value) as Group) : changeEntry(value, id, change))
    },
  }
  return (
    <div className="filter-builder">
      <GroupFields group={value} depth={1} tools={tools} />
      {children}
    </div>
  )
}

interface GroupProps {
  group: Group
  depth: number
  tools: Tools
}

function GroupFields({ group: own, depth, tools }: GroupProps) {
  const { fields, change } = tools
  const add = (entry: Entry): void => {
    change(own.id, () => ({ ...own, entries: [...own.entries, entry] }))
  }
  const newCondition = (): Condition => {
    const [first] = fields.all
    return condition(first?.id ?? 'tags', firstComparison(first?.kind ?? 'tag'))
  }
  const isInner = depth > 1
  return (
    <div
      className={isInner ? 'filter-group inner' : 'filter-group'}
      role="group"
      aria-label={t(isInner ? 'filter.group' : 'filter.title')}
    >
      <div className="filter-mode">
        {depth === 1 && <span>{t('filter.match')}</span>}
        <Select
          label={t('filter.match')}
          isLabelHidden
          choices={(['all', 'any', 'none'] as const).map((id) => ({
            id,
            label: t(`filter.${id}`),
          }))}
          value={own.mode}
          onChange={(mode) => {
            change(own.id, () => ({ ...own, mode }))
          }}
        />
        {isInner && (
          <IconButton
            icon="close"
            size={18}
            label={t('filter.remove-group')}
            onPress={() => {
              change(own.id, () => null)
            }}
          />
        )}
      </div>
      {own.entries.map((entry, nth) =>
        isGroup(entry) ? (
          <GroupFields key={entry.id} group={entry} depth={depth + 1} tools={tools} />
        ) : (
          <ConditionFields key={entry.id} own={entry} nth={nth + 1} tools={tools} />
        ),
      )}
      <div className="filter-add">
        <Button
          look="quiet"
          icon="plus"
          onPress={() => {
            add(newCondition())
          }}
        >
          {t('filter.add')}
        </Button>
        {depth < DEEPEST && (
          <Button
            look="quiet"
            icon="plus"
            onPress={() => {
              add(group(own.mode === 'any' ? 'all' : 'any', [newCondition()]))
            }}
          >
            {t('filter.add-group')}
          </Button>
        )}
      </div>
    </div>
  )
}

function ConditionFields({ own, nth, tools }: { own: Condition; nth: number; tools: Tools }) {
  const { fields, change, refused, isChecked } = tools
  const field = fields.of(own.field)
  const problem = useId()
  const words =
    refused?.id === own.id
      ? refused.words
      : isChecked && !isComplete(own)
        ? t('filter.missing')
        : null
  const set = (changes: Partial<Condition>): void => {
    change(own.id, (entry) => ({ ...entry, ...changes }))
  }
  const known = fields.all.includes(field) ? fields.all : [...fields.all, field]
  return (
    <div
      className="filter-condition"
      role="group"
      aria-label={t('filter.condition', { nth })}
      aria-describedby={words === null ? undefined : problem}
    >
      <SearchSelect
        label={t('filter.field')}
        isLabelHidden
        choices={known.map(({ id, label }) => ({ id, label }))}
        value={own.field}
        onChange={(id) => {
          const { kind } = fields.of(id)
          if (id !== own.field) set({ field: id, op: firstComparison(kind), value: undefined })
        }}
      />
      <Select
        label={t('filter.comparison')}
        isLabelHidden
        choices={comparisonsOf(field.kind, own.op)}
        value={own.op}
        onChange={(op) => {
          set({ op, ...(isSameValue(field, own.op, op) ? {} : { value: undefined }) })
        }}
      />
      <ValueField field={field} condition={own} onChange={set} />
      <IconButton
        icon="close"
        size={18}
        label={t('parts.action.remove', { name: t('filter.condition', { nth }) })}
        onPress={() => {
          change(own.id, () => null)
        }}
      />
      {words !== null && (
        <p id={problem} role="alert" className="filter-problem">
          <Icon name="warning" size={16} /> {words}
        </p>
      )}
    </div>
  )
}

/** Whether two comparisons take the same values. */
const isSameValue = ({ kind }: Field, one: string, other: string): boolean =>
  valueKindOf(kind, one) === valueKindOf(kind, other)
