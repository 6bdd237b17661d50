import { Suspense, useState } from 'react'

import type { Conversation, Template } from '../../../api/shapes'
import { useApi } from '../../../live/query'
import { PlainButton } from '../../../parts/button'
import { SearchBox } from '../../../parts/search-box'
import { Problem, Skeleton } from '../../../parts/state'
import { styled } from '../../../parts/styled'
import composerStyle from '../../../styles/late/composer.css'
import importStyle from '../../../styles/late/import.css'
import phoneStyle from '../../../styles/late/phone.css'
import { formatLanguage } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { NoTemplates } from './no-templates'
import { grouped, useRecentTemplates } from './recent-templates'
import { technicalNameOf, titleOf } from '../../../parts/template/title'
import { firstLineOf } from '../../../parts/template/values'
import { late } from '../../../parts/late'

const load = styled(() => import('./template-form'), composerStyle, importStyle, phoneStyle)
const TemplateForm = late(async () => (await load()).TemplateForm)

/** Most templates that are listed; others are searched for. */
const MOST = 100

interface Props {
  conversation: Conversation
  onSent: () => void
}

/** Templates, which can be sent at any time: those that the person used last come first. */
export function TemplatePicker({ conversation, onSent }: Props) {
  const [search, setSearch] = useState('')
  const { ids } = useRecentTemplates()
  const [chosen, setChosen] = useState<Template | null>(null)
  const { data, error, isPending, refetch } = useApi('GET /api/templates', {
    query: {
      account_id: conversation.account_id,
      sendable: true,
      limit: MOST,
      ...(search.trim() === '' ? {} : { search: search.trim() }),
    },
  })
  if (chosen)
    return (
      <Suspense fallback={<Skeleton shape="line" rows={3} />}>
        <TemplateForm
          conversation={conversation}
          template={chosen}
          onBack={() => {
            setChosen(null)
          }}
          onSent={() => {
            // while the window is closed, the templates stay
            setChosen(null)
            setSearch('')
            onSent()
          }}
        />
      </Suspense>
    )
  const { recent, others } = grouped(data?.items ?? [], ids)
  return (
    <div className="templates">
      <SearchBox label={t('inbox.template.search')} value={search} onChange={setSearch} />
      {isPending && <Skeleton shape="line" rows={3} />}
      {error !== null && (
        <Problem
          error={error}
          onRetry={() => {
            refetch().catch(() => undefined)
          }}
        />
      )}
      {data?.items.length === 0 && <NoTemplates accountId={conversation.account_id} />}
      <div className="template-groups">
        {recent.length > 0 && (
          <Group title={t('inbox.template.recent')} items={recent} onChoose={setChosen} />
        )}
        {others.length > 0 && (
          <Group
            title={recent.length > 0 ? t('inbox.template.others') : null}
            items={others}
            onChoose={setChosen}
          />
        )}
      </div>
    </div>
  )
}

interface GroupProps {
  title: string | null
  items: readonly Template[]
  onChoose: (template: Template) => void
}

function Group({ title, items, onChoose }: GroupProps) {
  return (
    <section aria-label={title ?? t('templates.title')}>
      {title !== null && <h3 className="muted small">{title}</h3>}
      <ul>
        {items.map((template) => (
          <li key={template.id}>
            <PlainButton
              className="template-item"
              onPress={() => {
                onChoose(template)
              }}
            >
              <b>
                <bdi>{titleOf(template)}</bdi>
              </b>
              <span className="muted block" dir="auto">
                {firstLineOf(template)}
              </span>
              <span className="muted small">{formatLanguage(template.language)}</span>
              <Technical template={template} />
            </PlainButton>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The name by which programs know a template, if people call it something else. */
function Technical({ template }: { template: Template }) {
  const name = technicalNameOf(template)
  return (
    name !== null && (
      <code className="muted small" dir="ltr">
        {name}
      </code>
    )
  )
}
