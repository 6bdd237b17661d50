import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { ApiError } from '../../api/error'
import type { Rows } from '../../live/rows'
import { useDraft, type Draft } from '../../parts/draft'
import { EditPage } from '../../parts/edit-page'
import { NumberField, TextField } from '../../parts/field'
import { Item, ItemList } from '../../parts/item-list'
import { MenuItem } from '../../parts/menu'
import { Section } from '../../parts/page'
import { SearchSelect } from '../../parts/search-select'
import { Select } from '../../parts/select'
import { Empty } from '../../parts/state'
import { Table, Total, type Column, type Order } from '../../parts/table'
import { TimeField } from '../../parts/time-field'
import { formatNumber, formatTimeOfDay } from '../../texts/format'
import { timeZones } from '../../texts/places'
import { t } from '../../texts/texts'
import { ShownParts } from './shown'
import { WizardPart } from './tasks'

/** What the server answers when the form is saved. */
const ANSWERS = {
  saved: null,
  refused: new ApiError(400, 'invalid_input', '', {
    retryAfterS: null,
    requestId: null,
    details: null,
    fields: [{ path: 'body.name', message: 'is required' }],
  }),
  lost: new TypeError(),
} as const
type Answer = keyof typeof ANSWERS

/** A moment in which the form is being saved, milliseconds. */
const SAVING_MS = 500

interface Values {
  name: string
  least: number
  most: number | null
  time: string
  zone: string
}

const INITIAL: Values = { name: 'EditPage', least: 5, most: null, time: '09:00', zone: 'UTC' }

function Fields({ draft: { value, set } }: { draft: Draft<Values> }) {
  return (
    <>
      <TextField
        name="name"
        label="TextField"
        value={value.name}
        onChange={(name) => {
          set({ name })
        }}
        isRequired
      />
      <div className="fields">
        <NumberField
          name="least"
          label="NumberField"
          range={[1, 10]}
          value={value.least}
          onChange={(least) => {
            set({ least })
          }}
        />
        <NumberField
          name="most"
          label="NumberField onClear"
          hint={t('settings.silence.never')}
          range={[value.least, 10]}
          value={value.most}
          onChange={(most) => {
            set({ most })
          }}
          onClear={() => {
            set({ most: null })
          }}
        />
      </div>
      <TimeField
        label="TimeField"
        value={value.time}
        onChange={(time) => {
          set({ time })
        }}
      />
      <SearchSelect
        label="SearchSelect"
        choices={timeZones().map((id) => ({ id, label: id }))}
        value={value.zone}
        onChange={(zone) => {
          set({ zone })
        }}
      />
    </>
  )
}

/** What a table is shown in. */
const TABLES = ['rows', 'loading', 'error', 'none', 'no match', 'old', 'capped'] as const

interface Fruit {
  id: string
  name: string
  count: number
}

const FRUIT: readonly Fruit[] = Array.from({ length: 200 }, (_, nth) => ({
  id: String(nth),
  name: `Table ${nth} ${'x'.repeat(nth % 60)}`,
  count: nth ** 3,
}))
const ROWS: Rows<Fruit> = {
  key: 'fruit',
  items: FRUIT,
  total: null,
  isLoading: false,
  isOld: false,
  error: null,
  isCapped: false,
  onEnd: () => undefined,
  onRetry: () => undefined,
}
const STATES_OF_ROWS: Record<(typeof TABLES)[number], Partial<Rows<Fruit>>> = {
  rows: {},
  loading: { items: [], isLoading: true },
  error: { items: [], error: new TypeError() },
  none: { items: [], total: 0 },
  'no match': { items: [], total: 0 },
  old: { isOld: true },
  capped: { isCapped: true },
}
const COLUMNS: Column<Fruit>[] = [
  {
    ...{ id: 'name', label: 'name', width: 2, sorts: 'asc' },
    cell: ({ name }) => <a href="#content">{name}</a>,
  },
  {
    ...{ id: 'state', label: 'cell', width: 1 },
    cell: ({ count }) => (
      <span className={count % 2 === 0 ? 'chip good' : 'chip danger'}>{count % 7}</span>
    ),
  },
  { id: 'extra', label: 'isExtra', width: 1, isExtra: true, cell: ({ id }) => id },
  {
    ...{ id: 'count', label: 'isNumber', width: 1, isNumber: true, sorts: 'desc' },
    cell: ({ count }) => formatNumber(count),
  },
]

/** A table in one of its states. */
function TableSection() {
  const [state, setState] = useState<(typeof TABLES)[number]>('rows')
  const [sort, setSort] = useState<Order>({ by: 'count', order: 'asc' })
  const rows = { ...ROWS, ...STATES_OF_ROWS[state] }
  return (
    <>
      <div className="filter-bar">
        <Select
          label="Table"
          choices={TABLES.map((id) => ({ id, label: id }))}
          value={state}
          onChange={setState}
        />
        <Total rows={rows} />
      </div>
      <Table
        label="Table"
        rows={rows}
        columns={COLUMNS}
        nameOf={({ name }) => name}
        menu={() => <MenuItem label="MenuItem" />}
        sort={sort}
        onSort={setSort}
        empty={<Empty title="empty" />}
        onClear={
          state === 'no match'
            ? () => {
                setState('rows')
              }
            : undefined
        }
      />
    </>
  )
}

/**
 * The parts of forms and lists in all their states, for those who develop the console. The page is in no
 * executable, and its words are names of code.
 */
export function Parts() {
  const { step } = useSearch({ from: '/dev/parts' })
  if (step === undefined) return <FormParts />
  return step === 'shown' ? <ShownParts /> : <WizardPart step={step} />
}

function FormParts() {
  const [answer, setAnswer] = useState<Answer>('saved')
  const [saved, setSaved] = useState(INITIAL)
  const draft = useDraft(saved)
  const { name, time } = draft.value
  return (
    <EditPage
      title="/dev/parts"
      draft={draft}
      onSave={async (changes) => {
        await new Promise((resolve) => {
          setTimeout(resolve, SAVING_MS)
        })
        const error = ANSWERS[answer]
        if (error) throw error
        setSaved((before) => ({ ...before, ...changes }))
      }}
    >
      <Section title="EditPage">
        <div className="form dev-parts">
          <Select
            label="onSave"
            choices={Object.keys(ANSWERS).map((id) => ({ id: id as Answer, label: id }))}
            value={answer}
            onChange={setAnswer}
          />
          <Fields draft={draft} />
        </div>
      </Section>
      <Section title="ItemList">
        <ItemList label="ItemList">
          <Item name={name} hint={formatTimeOfDay(time)} />
          <Item name={name} link={<a href="#content">{name}</a>} />
        </ItemList>
      </Section>
      <TableSection />
    </EditPage>
  )
}
