import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { call } from '../../../api/client'
import type { AiContextItem } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Switch } from '../../../parts/choice'
import { Item, ItemList } from '../../../parts/item-list'
import { Loaded, Pager } from '../../../parts/loaded'
import { MenuItem } from '../../../parts/menu'
import { Section } from '../../../parts/page'
import { Empty } from '../../../parts/state'
import { report } from '../../../parts/toast'
import { formatList, formatNumber } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { kindOf } from './source-form'
import { useDeleteSource, useKeepSource } from './source-verbs'

const PAGE = 50

/** What there is to know about a source, in one line. */
function factsOf(source: AiContextItem): string {
  const { document, api_config: api, trigger_keywords: words } = source
  const facts = [
    document?.filename ?? null,
    api?.url ?? null,
    document?.state === 'ready'
      ? t('bot.ai.parts', { count: document.chunks, characters: formatNumber(document.characters) })
      : null,
    words.length > 0 ? t('bot.ai.only-for', { words: formatList(words) }) : null,
  ]
  return facts.filter((fact) => fact !== null).join(' · ')
}

/** How far the reading of a document is, as a chip. */
export function DocumentState({ source }: { source: Pick<AiContextItem, 'document'> }) {
  const { document } = source
  if (document === null) return null
  const looks = { reading: 'chip', ready: 'chip good', failed: 'chip danger' }
  return (
    <span className={looks[document.state]} role="status">
      {t(`bot.ai.document.${document.state}`)}
    </span>
  )
}

function SourceItem({
  source,
  onDelete,
}: {
  source: AiContextItem
  onDelete: (() => void) | null
}) {
  const mayChange = useCan('chatbot:update')
  const keep = useKeepSource()
  const { id, name, enabled: isOn } = source
  return (
    <Item
      name={name}
      link={
        <Link to="/bot/ai/$sourceId" params={{ sourceId: id }} dir="auto">
          {name}
        </Link>
      }
      badge={
        <>
          <span className="chip">{t(`bot.ai.kind.${kindOf(source)}`)}</span>
          <DocumentState source={source} />
        </>
      }
      hint={source.document?.error ?? factsOf(source)}
      actions={
        mayChange && (
          <Switch
            aria-label={t('bot.rules.turn', { name })}
            isSelected={isOn}
            onChange={(isNowOn) => {
              call('PUT /api/chatbot/ai-contexts/{id}', {
                params: { id },
                body: { enabled: isNowOn },
              })
                .then(keep)
                .catch(report)
            }}
          />
        )
      }
      menu={
        onDelete && (
          <MenuItem icon="trash" isDangerous label={t('bot.ai.delete')} onAction={onDelete} />
        )
      }
    />
  )
}

/** What the AI knows: texts, pages and documents. */
export function Sources() {
  const [page, setPage] = useState(1)
  const mayCreate = useCan('chatbot:create')
  const mayDelete = useCan('chatbot:delete')
  const remove = useDeleteSource()
  const query = { page, limit: PAGE }
  const result = useApi('GET /api/chatbot/ai-contexts', { query }, useCan('chatbot:read'))
  return (
    <Section
      title={t('bot.ai.knowledge')}
      hint={t('bot.ai.knowledge-hint')}
      actions={
        mayCreate && (
          <Link className="button plain" to="/bot/ai/$sourceId" params={{ sourceId: 'new' }}>
            {t('bot.ai.add')}
          </Link>
        )
      }
    >
      <Loaded result={result}>
        {({ items, total_pages: pages }) =>
          items.length === 0 ? (
            <Empty icon="file" title={t('bot.ai.nothing')} hint={t('bot.ai.nothing-hint')} />
          ) : (
            <>
              <ItemList label={t('bot.ai.knowledge')}>
                {items.map((source) => (
                  <SourceItem
                    key={source.id}
                    source={source}
                    onDelete={
                      mayDelete
                        ? () => {
                            remove.ask(source)
                          }
                        : null
                    }
                  />
                ))}
              </ItemList>
              <Pager page={page} pages={pages} onPage={setPage} />
            </>
          )
        }
      </Loaded>
      {remove.window}
    </Section>
  )
}
