import { useState } from 'react'

import { call, type Data } from '../../../api/client'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Switch } from '../../../parts/choice'
import { Confirm, typedFor } from '../../../parts/dialog'
import { useDraft, type Draft } from '../../../parts/draft'
import { EditPage } from '../../../parts/edit-page'
import { NumberField } from '../../../parts/field'
import { Guarded, Loaded } from '../../../parts/loaded'
import type { Merge } from '../../../parts/merge'
import { Page, Section } from '../../../parts/page'
import { formatDateTime, formatNumber } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { Facts } from '../number/facts'
import { useRefresh } from '../../../live/use-refresh'
import { countGone, Gone, RetentionPreview, sumOf, type Counts } from './retention-preview'

type Stored = Data<'GET /api/retention'>
type Values = Omit<Stored, 'next_run_at' | 'effective_at'>

/** Limits that may be empty: then nothing of that kind goes. */
const LIMITS = ['messages_days', 'media_days', 'notes_days', 'contacts_inactive_days'] as const
const RANGE = [7, 3_650] as const

function valuesOf(stored: Stored): Values {
  const { next_run_at: _, effective_at: __, ...values } = stored
  return values
}

const MERGE: Merge<Values> = {
  read: (present) => valuesOf(present as Stored),
  label: (field) =>
    t(
      field === 'legal_hold'
        ? 'retention.hold'
        : field === 'updated_at'
          ? 'retention.title'
          : `retention.${field}`,
    ),
}

function Limits({ draft: { value, set } }: { draft: Draft<Values> }) {
  return (
    <Section title={t('retention.limits')} hint={t('retention.limits-hint')}>
      <div className="form">
        {LIMITS.map((field) => (
          <NumberField
            key={field}
            name={field}
            label={t(`retention.${field}`)}
            value={value[field]}
            range={RANGE}
            onChange={(days) => {
              set({ [field]: days })
            }}
            onClear={() => {
              set({ [field]: null })
            }}
          />
        ))}
        <NumberField
          name="journal_days"
          label={t('retention.journal_days')}
          value={value.journal_days}
          range={[7, 90]}
          onChange={(days) => {
            set({ journal_days: days })
          }}
        />
        <div className="choice-with-hint">
          <Switch
            isSelected={value.legal_hold}
            onChange={(isOn) => {
              set({ legal_hold: isOn })
            }}
          >
            {t('retention.hold')}
          </Switch>
          <p className="muted small">{t('retention.hold-hint')}</p>
        </div>
      </div>
    </Section>
  )
}

/** Something that goes, about which a person is asked. */
interface Asked {
  counts: Counts
  settle: (isMeant: boolean) => void
}

/** When the next night comes, and since when shorter limits count. */
const When = ({ stored }: { stored: Stored }) => (
  <div className="section-note">
    {stored.effective_at !== null && (
      <p className="banner">
        {t('retention.effective', { time: formatDateTime(stored.effective_at) })}
      </p>
    )}
    <p className="muted">{t('retention.next', { time: formatDateTime(stored.next_run_at) })}</p>
  </div>
)

function RetentionForm({ stored }: { stored: Stored }) {
  const draft = useDraft(valuesOf(stored))
  const refresh = useRefresh('GET /api/retention')
  const [asked, setAsked] = useState<Asked | null>(null)
  const { updated_at: _, ...tried } = draft.value
  const ask = async (counts: Counts): Promise<void> => {
    const isMeant = await new Promise<boolean>((settle) => {
      setAsked({ counts, settle })
    })
    setAsked(null)
    if (!isMeant) throw new DOMException('not saved', 'AbortError')
  }
  return (
    <>
      <EditPage
        title={t('retention.title')}
        hint={t('retention.hint')}
        draft={draft}
        merge={MERGE}
        onSave={async ({ updated_at: __, ...body }, { updated_at: ifMatch }) => {
          const counts = await countGone(body)
          if (sumOf(counts) > 0) await ask(counts)
          await call('PUT /api/retention', { body, ifMatch })
          await refresh()
        }}
      >
        <When stored={stored} />
        <Limits draft={draft} />
        <RetentionPreview tried={tried} />
      </EditPage>
      {asked && (
        <Confirm
          isOpen
          title={t('retention.ask')}
          text={t('retention.ask-text')}
          action={t('retention.ask-action')}
          typed={typedFor(sumOf(asked.counts))}
          onClose={() => {
            // a choice that was confirmed closes, too, and settles first
            queueMicrotask(() => {
              asked.settle(false)
            })
          }}
          onConfirm={() => {
            asked.settle(true)
          }}
        >
          <Gone counts={asked.counts} />
        </Confirm>
      )}
    </>
  )
}

/** How long data is kept, and what the next night would erase. */
export function Retention() {
  const result = useApi('GET /api/retention', {}, useCan('settings:read'))
  const canUpdate = useCan('settings:update')
  if (result.data && canUpdate) return <RetentionForm stored={result.data} />
  return (
    <Page title={t('retention.title')} hint={t('retention.hint')}>
      <Guarded needs="settings:read">
        <Loaded result={result}>
          {(stored) => (
            <>
              <When stored={stored} />
              <Section title={t('retention.limits')}>
                <Facts
                  facts={[...LIMITS, 'journal_days' as const].map((field) => {
                    const days = stored[field]
                    return [t(`retention.${field}`), days === null ? null : formatNumber(days)]
                  })}
                />
              </Section>
            </>
          )}
        </Loaded>
      </Guarded>
    </Page>
  )
}
