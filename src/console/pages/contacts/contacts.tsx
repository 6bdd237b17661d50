import { Link, useSearch } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'

import { useCan } from '../../live/me'
import { Button, IconButton } from '../../parts/button'
import { ContactArea } from '../../parts/contact/area'
import { nameOf } from '../../parts/contact/name'
import { FilterBuilder } from '../../parts/filter/builder'
import { FilterChips } from '../../parts/filter/chips'
import { useCustomFields } from '../../parts/filter/fields'
import { allOf, type Filter, type Group } from '../../parts/filter/model'
import { useFilter } from '../../parts/filter/use-filter'
import { ListPage, useShow } from '../../parts/list-page'
import { useColumns } from '../../parts/table-columns'
import { t } from '../../texts/texts'
import { Bulk } from './bulk'
import type { Matching } from './bulk-change'
import { columns } from './columns'
import { useExport } from './export'
import { Filters } from './filters'
import { NewContact } from './new-contact'
import { SegmentDialog } from './segment-dialog'
import { SegmentTabs, useSegment } from './segment-tabs'
import { canBeView, useViewHere } from './view-model'
import { ViewDialog } from './views'

/** The name by which the chosen columns are kept. */
const SCREEN = 'contacts'

/** What the tag and the owner in the address mean as conditions. */
const conditionsOf = (tag: string | undefined, owner: string | undefined): Filter[] => [
  ...(tag === undefined ? [] : [{ field: 'tags', op: 'in', value: [tag] }]),
  ...(owner === undefined
    ? []
    : [
        owner === 'none'
          ? { field: 'assigned_to', op: 'exists', value: false }
          : { field: 'assigned_to', op: 'in', value: [owner] },
      ]),
]

/** Which contacts are listed, as the address says, and what selects them all. */
function useFound() {
  const search = useSearch({ from: '/contacts' })
  const segment = useSegment(search.segment)
  const quick = conditionsOf(search.tag, search.owner)
  const filter = allOf(search.filter, ...quick, segment?.filter) ?? undefined
  const matching = {
    ...(filter ? { filter } : {}),
    ...(search.q === undefined ? {} : { search: search.q }),
  }
  const isNarrowed = search.filter !== undefined || quick.length > 0
  // a segment holds no words
  const canSave = isNarrowed && search.q === undefined
  const canKeep = useViewHere(search) === null && canBeView(search)
  return { search, filter, matching, canSave, canKeep, isReady: segment !== undefined }
}

/** Everybody who wrote or was written to, as far as the user sees them. */
export function Contacts() {
  const { search, filter, matching, canSave, canKeep, isReady } = useFound()
  const show = useShow<typeof search>()
  const [dialog, setDialog] = useState<'new' | 'save' | 'view' | null>(null)
  const [isOpen, setOpen] = useState(false)
  const { sort = 'last_message_at', order = 'desc' } = search
  const [edited, edit] = useFilter(search.filter ?? null, (next) => {
    show({ filter: next ?? undefined })
  })
  const all = columns(useCustomFields().data?.items ?? [])
  const shown = useColumns(SCREEN, all).shown.map(({ id }) => id)
  const close = (): void => {
    setDialog(null)
  }
  return (
    <ContactArea>
      <ListPage
        title={t('contacts.title')}
        route="POST /api/contacts/search"
        needs="contacts:read"
        icon="contacts"
        find={t('inbox.list.search')}
        words={search.q}
        filter={{ filter }}
        isReady={isReady}
        columns={all}
        columnsOf={SCREEN}
        nameOf={nameOf}
        sort={{
          ...{ by: sort, order },
          onSort: ({ by, ...rest }) => {
            show({ sort: by === 'name' ? by : undefined, ...rest })
          },
        }}
        empty={t('contacts.empty')}
        emptyHint={t('contacts.empty-hint')}
        actions={<Actions matching={matching} columns={shown} onOpen={setDialog} />}
        above={<SegmentTabs />}
        filters={<Filters isOpen={isOpen} onOpen={setOpen} />}
        below={(error) => (
          <Conditions {...{ edited, edit, error, isOpen }} onOpen={setOpen}>
            {canSave && (
              <Button
                look="quiet"
                onPress={() => {
                  setDialog('save')
                }}
              >
                {t('contacts.segment.new')}
              </Button>
            )}
            {canKeep && (
              <Button
                look="quiet"
                onPress={() => {
                  setDialog('view')
                }}
              >
                {t('contacts.view.new')}
              </Button>
            )}
          </Conditions>
        )}
        bulk={(selected) => <Bulk selected={selected} matching={matching} columns={shown} />}
      >
        {dialog === 'new' && <NewContact onClose={close} />}
        {dialog === 'view' && <ViewDialog view={null} search={search} onClose={close} />}
        {dialog === 'save' && filter && (
          <SegmentDialog
            filter={filter}
            onSaved={(id) => {
              show({ segment: id, filter: undefined, tag: undefined, owner: undefined })
            }}
            onClose={close}
          />
        )}
      </ListPage>
    </ContactArea>
  )
}

interface ConditionsProps {
  edited: Group
  edit: (group: Group) => void
  error: unknown
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  children: ReactNode
}

/** The conditions of the list: in a few words, or to be changed. */
function Conditions({ edited, edit, error, isOpen, onOpen, children }: ConditionsProps) {
  if (isOpen)
    return (
      <FilterBuilder value={edited} onChange={edit} error={error}>
        {children}
      </FilterBuilder>
    )
  return (
    <div className="filter-closed">
      <FilterChips
        value={edited}
        onChange={edit}
        onOpen={() => {
          onOpen(true)
        }}
      />
      {children}
    </div>
  )
}

interface ActionsProps {
  matching: Matching
  columns: readonly string[]
  onOpen: (dialog: 'new') => void
}

/** What is done with contacts of which none is chosen. */
function Actions({ matching, columns: shown, onOpen }: ActionsProps) {
  const mayAdd = useCan('contacts:create')
  const mayExport = useCan('contacts:export')
  const mayImport = useCan('contacts:import')
  const save = useExport()
  return (
    <>
      {mayExport && (
        <IconButton
          icon="download"
          label={t('contacts.export.shown')}
          onPress={() => {
            save(matching, shown)
          }}
        />
      )}
      {mayImport && (
        <Link className="button plain" to="/contacts/import">
          {t('contacts.import')}
        </Link>
      )}
      {mayAdd && (
        <Button
          look="primary"
          icon="plus"
          onPress={() => {
            onOpen('new')
          }}
        >
          {t('contacts.new')}
        </Button>
      )}
    </>
  )
}
