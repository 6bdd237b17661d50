import { useNavigate } from '@tanstack/react-router'
import { useEffect, type ComponentProps, type ReactNode } from 'react'

import type { PermissionKey } from '../api/shapes'
import { useCan } from '../live/me'
import { useRows, type RowOf, type Rows, type RowsFilter, type RowsRoute } from '../live/rows'
import { FoundSelect } from './found-select'
import type { IconName } from './icons'
import { Guarded } from './loaded'
import { Page } from './page'
import { useSelection } from './selection'
import { SearchBox } from './search-box'
import { Select } from './select'
import { Empty } from './state'
import { Table, Total, type Order } from './table'
import { TableBulk, type Selected } from './table-bulk'
import { ColumnPicker, useColumns } from './table-columns'
import { report } from './toast'
import { useSearchText } from './use-search-text'

/** Pause in typing after which a list is searched, milliseconds. */
const PAUSE_MS = 250

/** Returns how to change what the address of this page says. */
export function useShow<S extends object>(): (change: Partial<S>) => void {
  const navigate = useNavigate()
  return (change) => {
    // the routes check what their addresses hold
    const search = ((before: object) => ({ ...before, ...change })) as never
    navigate({ to: '.', search, replace: true }).catch(report)
  }
}

/** The parameters without those that are `undefined`. */
type Present<F> = { [K in keyof F]?: Exclude<F[K], undefined> }
const presentIn = <F extends object>(filter: F): Present<F> =>
  Object.fromEntries(
    Object.entries(filter).filter(([, value]) => value !== undefined),
  ) as Present<F>

type TableProps<R extends RowsRoute> = ComponentProps<typeof Table<RowOf<R>>>
interface Props<R extends RowsRoute> extends Pick<
  TableProps<R>,
  'columns' | 'nameOf' | 'menu' | 'onPlace'
> {
  title: string
  route: R
  /** Who may see the list. */
  needs: PermissionKey
  icon: IconName
  /** The label of the search; without it there is none. */
  find?: string
  /** What is searched, as the address says. */
  words?: string | undefined
  hint?: string
  /** The parts of the screen that have addresses of their own. */
  tabs?: ReactNode
  /** What the address filters by, for the API. */
  filter: { [K in keyof RowsFilter<R>]?: RowsFilter<R>[K] | undefined }
  /** What is asked of the API besides. */
  always?: Partial<RowsFilter<R>>
  sort?: Order & { onSort: (order: Order) => void }
  /** What an empty list says. */
  empty: string
  emptyHint: string
  /** Buttons beside the title. */
  actions?: ReactNode
  /** Fields that filter. */
  filters?: ReactNode
  /** What stands between the title and the search, such as tabs. */
  above?: ReactNode
  /** The name by which the user's choice of columns is kept; without it there is none. */
  columnsOf?: string
  /** What stands between the search and the table; it is told why the list could not be loaded. */
  below?: ((error: unknown) => ReactNode) | undefined
  /** Whether it is known yet what is listed. */
  isReady?: boolean
  /** What can be done with rows that are selected; without it none can be. */
  bulk?: ((selected: Selected<RowOf<R>>) => ReactNode) | undefined
  /** Windows. */
  children?: ReactNode
}

/** A screen that is a table: its title, search, filters and rows, in all their states. */
export function ListPage<R extends RowsRoute>(props: Props<R>) {
  const { title, needs, route, words, filter, sort, find, icon, empty, emptyHint } = props
  const { isReady = true } = props
  const narrowed = presentIn({ ...filter, search: words })
  const sorted = sort ? { sort: sort.by, order: sort.order } : {}
  const rows = useRows(
    route,
    { ...props.always, ...narrowed, ...sorted } as RowsFilter<R>,
    useCan(needs) && isReady,
  )
  const selection = useSelection(rows.items, rows.key, true, rows.gaps)
  useEffect(() => {
    rows.pin(selection.ids)
  })
  const columns = useColumns(props.columnsOf ?? '', props.columns)
  const { bulk } = props
  const navigate = useNavigate()
  const clear = (): void => {
    navigate({ to: '.', search: {} as never, replace: true }).catch(report)
  }
  return (
    <Page
      title={title}
      actions={props.actions}
      tabs={props.tabs}
      isWide
      {...(props.hint === undefined ? {} : { hint: props.hint })}
    >
      <Guarded needs={needs}>
        {props.above}
        {bulk && (
          <TableBulk selection={selection} rows={rows as Rows<RowOf<R>>}>
            {bulk}
          </TableBulk>
        )}
        <search className="filter-bar" hidden={bulk && selection.ids.size > 0}>
          {find !== undefined && <Words label={find} words={words} />}
          {props.filters}
          <Total rows={rows} />
          {props.columnsOf !== undefined && <ColumnPicker columns={columns} />}
        </search>
        {props.below?.(rows.error)}
        <Table
          {...props}
          columns={columns.shown}
          selection={bulk ? selection : undefined}
          label={title}
          {...(sort ? { onSort: sort.onSort } : {})}
          rows={rows as Rows<RowOf<R>>}
          empty={<Empty icon={icon} title={empty} hint={emptyHint} />}
          onClear={Object.keys(narrowed).length === 0 ? undefined : clear}
        />
        {props.children}
      </Guarded>
    </Page>
  )
}

function Words({ label, words }: { label: string; words: string | undefined }) {
  const show = useShow<{ q?: string | undefined }>()
  const [text, setText] = useSearchText(words ?? '', PAUSE_MS, (wanted) => {
    show({ q: wanted === '' ? undefined : wanted })
  })
  return <SearchBox label={label} value={text} onChange={setText} />
}

const ANY = 'any'

interface FilterProps<K extends string> {
  label: string
  /** How the choice reads that does not filter. */
  any: string
  value: K | undefined
  onChange: (value: K | undefined) => void
}

/** A filter of which one of some choices is taken. */
export function ChoiceFilter<K extends string>({
  any,
  value,
  choices,
  onChange,
  ...field
}: FilterProps<K> & { choices: readonly { id: K; label: string }[] }) {
  return (
    <Select
      {...field}
      isLabelHidden
      value={value ?? ANY}
      choices={[{ id: ANY, label: any }, ...choices]}
      onChange={(id) => {
        onChange(id === ANY ? undefined : id)
      }}
    />
  )
}

/** A filter by one of the tags, colleagues or what else the server finds by its name. */
export function FoundFilter({
  any,
  value = ANY,
  first = [],
  onChange,
  ...field
}: FilterProps<string> &
  Pick<ComponentProps<typeof FoundSelect>, 'kind'> & {
    first?: readonly { id: string; label: string }[]
  }) {
  return (
    <FoundSelect
      {...field}
      isLabelHidden
      isHiddenIfEmpty
      value={value}
      first={[{ id: ANY, label: any }, ...first]}
      onChange={(id) => {
        onChange(id === ANY ? undefined : id)
      }}
    />
  )
}
