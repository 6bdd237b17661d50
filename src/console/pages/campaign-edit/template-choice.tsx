import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import type { Template } from '../../api/shapes'
import { useApi } from '../../live/query'
import { Button, PlainButton } from '../../parts/button'
import { SearchBox } from '../../parts/search-box'
import { Problem, Skeleton } from '../../parts/state'
import { titleOf } from '../../parts/template/title'
import { firstLineOf } from '../../parts/template/values'
import { report } from '../../parts/toast'
import { useSearchText } from '../../parts/use-search-text'
import { formatLanguage } from '../../texts/format'
import { findText, t } from '../../texts/texts'

/** Pause in typing after which templates are searched, milliseconds. */
const PAUSE_MS = 250
const MOST_LISTED = 30

interface Props {
  accountId: string
  chosen: Template | null
  onChoose: (template: Template) => void
}

/** The template that is sent, by its title and first line. */
export function TemplateChoice({ accountId, chosen, onChoose }: Props) {
  const [isOpen, setOpen] = useState(false)
  if (chosen && !isOpen)
    return (
      <div className="wizard-chosen" role="group" aria-label={t('wizard.field.template_id')}>
        <div className="grow">
          <About template={chosen} />
        </div>
        <Button
          onPress={() => {
            setOpen(true)
          }}
        >
          {t('wizard.what.other')}
        </Button>
      </div>
    )
  return (
    <Templates
      accountId={accountId}
      onChoose={(template) => {
        setOpen(false)
        onChoose(template)
      }}
    />
  )
}

function About({ template }: { template: Template }) {
  const { status, language, category } = template
  return (
    <>
      <p>
        <b dir="auto">{titleOf(template)}</b>{' '}
        {status === 'PENDING' && (
          <span className="chip warn">{findText(`templates.state.${status}`) ?? status}</span>
        )}
      </p>
      <p className="second small" dir="auto">
        {firstLineOf(template)}
      </p>
      <p className="muted small">
        {formatLanguage(language)} · {t(`templates.category.${category}`)}
      </p>
    </>
  )
}

function Templates({ accountId, onChoose }: Omit<Props, 'chosen'>) {
  const [words, setWords] = useState('')
  const [text, setText] = useSearchText('', PAUSE_MS, setWords)
  const query = {
    ...{ account_id: accountId, limit: MOST_LISTED },
    ...(words === '' ? {} : { search: words }),
  }
  const sendable = useApi('GET /api/templates', { query: { ...query, sendable: true } })
  const inReview = useApi('GET /api/templates', { query: { ...query, status: 'PENDING' } })
  const items = [...(sendable.data?.items ?? []), ...(inReview.data?.items ?? [])].filter(
    // codes are sent by programs, one by one
    ({ category }) => category !== 'AUTHENTICATION',
  )
  return (
    <div className="wizard-templates">
      <SearchBox label={t('inbox.template.search')} value={text} onChange={setText} />
      {sendable.isPending && <Skeleton shape="line" rows={3} />}
      {sendable.error !== null && (
        <Problem
          error={sendable.error}
          onRetry={() => {
            sendable.refetch().catch(report)
          }}
        />
      )}
      {sendable.data && items.length === 0 && (
        <p className="muted">
          {t(words === '' ? 'wizard.what.no-template' : 'parts.picker.empty')}{' '}
          <Link to="/templates" search={{}}>
            {t('wizard.what.templates')}
          </Link>
        </p>
      )}
      <ul aria-label={t('wizard.field.template_id')}>
        {items.map((template) => (
          <li key={template.id}>
            <PlainButton
              className="wizard-template"
              onPress={() => {
                onChoose(template)
              }}
            >
              <About template={template} />
            </PlainButton>
          </li>
        ))}
      </ul>
    </div>
  )
}
