import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'

import { call } from '../../api/client'
import type { Segment } from '../../api/shapes'
import { useCan } from '../../live/me'
import { keyOf, useApi } from '../../live/query'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { Switch } from '../../parts/choice'
import { nameOf, numberBeside } from '../../parts/contact/name'
import { Confirm } from '../../parts/dialog'
import { useDraft, type Draft } from '../../parts/draft'
import { EditPage } from '../../parts/edit-page'
import { TextField } from '../../parts/field'
import { FilterBuilder } from '../../parts/filter/builder'
import { MatchCount, usePreview } from '../../parts/filter/match-count'
import { readFilter, writeFilter } from '../../parts/filter/model'
import { useFilter } from '../../parts/filter/use-filter'
import { Item, ItemList } from '../../parts/item-list'
import { Guarded, Loaded } from '../../parts/loaded'
import type { Merge } from '../../parts/merge'
import { Page, Section } from '../../parts/page'
import { Problem } from '../../parts/state'
import { report } from '../../parts/toast'
import { t, type TextKey } from '../../texts/texts'
import { Uses } from './segment-uses'

/** People of a segment that are shown. */
const MOST_SHOWN = 20

/** A segment: its name, its conditions, who meets them, and where it is used. */
export function SegmentPage() {
  const { segmentId } = useParams({ from: '/contacts/segments/$segmentId' })
  const mayRead = useCan('contacts:read')
  const result = useApi('GET /api/segments/{id}', { params: { id: segmentId } }, mayRead)
  if (!mayRead || result.data === undefined)
    return (
      <Page title={t('contacts.tabs')}>
        <Guarded needs="contacts:read">
          <Loaded result={result}>{() => null}</Loaded>
        </Guarded>
      </Page>
    )
  return <Editor key={segmentId} segment={result.data} />
}

type Values = Pick<Segment, 'name' | 'filter' | 'shared' | 'updated_at'> & { description: string }

const valuesOf = ({ name, description, filter, shared, updated_at }: Segment): Values => ({
  ...{ name, description: description ?? '', filter, shared, updated_at },
})

const LABELS: Record<keyof Values, TextKey> = {
  name: 'contacts.segment.name',
  description: 'contacts.segment.description',
  filter: 'contacts.segment.conditions',
  shared: 'contacts.segment.shared',
  updated_at: 'wizard.field.updated_at',
}

/** How two people who change the same segment are told about each other. */
const MERGE: Merge<Values> = {
  read: (present) => valuesOf(present as Segment), // the server sends the segment
  label: (field) => t(LABELS[field]),
}

function Editor({ segment }: { segment: Segment }) {
  const { id } = segment
  const client = useQueryClient()
  const mayChange = useCan('contacts:update') || !segment.shared
  const draft = useDraft(valuesOf(segment))
  const { value, set } = draft
  const [edited, edit] = useFilter(value.filter, (next) => {
    set({ filter: next ?? {} })
  })
  const [error, setError] = useState<unknown>(null)
  const written = writeFilter(edited)
  const preview = usePreview(writeFilter(readFilter(value.filter)).filter)
  return (
    <EditPage
      title={segment.name}
      draft={draft}
      merge={MERGE}
      actions={<Actions segment={segment} mayDelete={mayChange} />}
      onSave={async (changes, { updated_at: ifMatch }) => {
        setError(null)
        try {
          const saved = await call('PUT /api/segments/{id}', {
            params: { id },
            body: changes,
            ifMatch,
          })
          client.setQueryData(keyOf('GET /api/segments/{id}', { params: { id } }), saved)
          await client.invalidateQueries({ queryKey: keyOf('GET /api/segments') })
        } catch (problem) {
          setError(problem)
          throw problem
        }
      }}
    >
      <Head draft={draft} mayChange={mayChange} />
      <Section title={t('contacts.segment.conditions')}>
        <FilterBuilder value={edited} onChange={edit} error={error ?? preview.error} isChecked />
        {written.filter === null ? (
          <p className="muted">{t('contacts.segment.empty')}</p>
        ) : (
          <MatchCount preview={preview} />
        )}
      </Section>
      <Section
        title={t('contacts.segment.people')}
        actions={
          <Link className="button plain" to="/contacts" search={{ segment: id }}>
            {t('contacts.segment.show-all')}
          </Link>
        }
      >
        <FirstPeople filter={written.filter} />
      </Section>
      <Section title={t('contacts.segment.uses')}>
        <Uses segmentId={id} />
      </Section>
    </EditPage>
  )
}

/** What a segment is called, what it is for, and who can use it. */
function Head({ draft: { value, set }, mayChange }: { draft: Draft<Values>; mayChange: boolean }) {
  const mayShare = useCan('contacts:update')
  return (
    <div className="form segment-head">
      <TextField
        name="name"
        label={t('contacts.segment.name')}
        maxLength={255}
        isRequired
        isDisabled={!mayChange}
        value={value.name}
        onChange={(next) => {
          set({ name: next })
        }}
      />
      <TextField
        name="description"
        label={t('contacts.segment.description')}
        maxLength={4_096}
        isDisabled={!mayChange}
        value={value.description}
        onChange={(next) => {
          set({ description: next })
        }}
      />
      {mayShare && (
        <Switch
          isSelected={value.shared}
          onChange={(next) => {
            set({ shared: next })
          }}
        >
          {t('contacts.segment.shared')}
        </Switch>
      )}
    </div>
  )
}

/** The first people who meet the conditions, as they are being edited. */
function FirstPeople({ filter }: { filter: Segment['filter'] | null }) {
  const preview = usePreview(filter)
  const { data, error } = preview
  if (filter === null || error !== null)
    return error === null ? null : <Problem error={error} onRetry={() => void preview.refetch()} />
  return (
    <Loaded result={preview} rows={5}>
      {() =>
        data?.sample.length === 0 ? (
          <p className="muted">{t('contacts.segment.nobody')}</p>
        ) : (
          <ItemList label={t('contacts.segment.people')}>
            {(data?.sample ?? []).slice(0, MOST_SHOWN).map((contact) => (
              <Item
                key={contact.id}
                mark={<Avatar name={contact.display_name} size="small" />}
                link={
                  <Link to="/contacts/$contactId" params={{ contactId: contact.id }}>
                    <bdi>{nameOf(contact)}</bdi>
                  </Link>
                }
                name={nameOf(contact)}
                hint={numberBeside(contact) ?? ''}
              />
            ))}
          </ItemList>
        )
      }
    </Loaded>
  )
}

function Actions({ segment, mayDelete }: { segment: Segment; mayDelete: boolean }) {
  const { id, name, last_count: count } = segment
  const client = useQueryClient()
  const navigate = useNavigate()
  const [isAsked, setAsked] = useState(false)
  const mayBegin = useCan('campaigns:create')
  const remove = async (): Promise<void> => {
    await call('DELETE /api/segments/{id}', { params: { id } })
    await navigate({ to: '/contacts', search: {} })
    await client.invalidateQueries({ queryKey: keyOf('GET /api/segments') })
  }
  return (
    <>
      {mayBegin && (
        <Link className="button plain" to="/campaigns/new" search={{ segment: id }}>
          {t('contacts.segment.campaign')}
        </Link>
      )}
      {mayDelete && (
        <Button
          look="quiet"
          icon="trash"
          onPress={() => {
            setAsked(true)
          }}
        >
          {t('contacts.segment.delete')}
        </Button>
      )}
      <Confirm
        isOpen={isAsked}
        title={t('contacts.segment.delete-title', { name })}
        text={t('contacts.segment.delete-text', { count: count ?? 0 })}
        action={t('contacts.segment.delete')}
        onClose={() => {
          setAsked(false)
        }}
        onConfirm={() => {
          remove().catch(report)
        }}
      />
    </>
  )
}
