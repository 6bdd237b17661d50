import { useParams, useSearch } from '@tanstack/react-router'
import { Suspense, useEffect, type CSSProperties } from 'react'

import { useCan, usePreferences } from '../../live/me'
import { useApi } from '../../live/query'
import { useCustomActions } from '../../parts/contact/custom-actions'
import { late } from '../../parts/late'
import { Guarded } from '../../parts/loaded'
import { useIsWide } from '../../parts/narrow'
import { Page } from '../../parts/page'
import { Empty } from '../../parts/state'
import { styled } from '../../parts/styled'
import composerStyle from '../../styles/late/composer.css'
import panelStyle from '../../styles/late/panel.css'
import phoneStyle from '../../styles/late/phone.css'
import threadStyle from '../../styles/late/thread.css'
import { t } from '../../texts/texts'
import { useScheduled } from './composer/scheduled'
import { Day } from './day'
import { Folders } from './list/folders'
import { ListPane } from './list/list-pane'
import { useSavedView } from './list/saved-views'
import { NewMessage, useNewMessage } from './new-message'
import { ThreadOutline } from './thread-outline'
import { useWays } from './use-ways'
import { filterOf } from './views'

/** What a conversation is shown with. It is loaded after the list, which is shown first. */
const loadThread = styled(
  () => import('./thread/thread-pane'),
  ...[threadStyle, composerStyle, panelStyle, phoneStyle],
)
const ThreadPane = late(async () => (await loadThread()).ThreadPane)

/** The inbox, or what is missing to see it. */
export function Inbox() {
  return useCan('messages:read') ? (
    <Panes />
  ) : (
    <Page title={t('inbox.title')}>
      <Guarded needs="messages:read">{null}</Guarded>
    </Page>
  )
}

/** The widths of the panes that this device keeps, as the styles want them. */
function useWidths(): CSSProperties {
  const { listPx, panelPx } = usePreferences()
  const widths = {
    ...(listPx === null ? {} : { '--list-width': `${listPx}px` }),
    ...(panelPx === null ? {} : { '--panel-width': `${panelPx}px` }),
  }
  // The types of React know no properties of one's own.
  return widths as CSSProperties
}

/** Shows the number of unread conversations in the title of the page. */
function useTitle(unread: number): void {
  useEffect(() => {
    const title = `${t('inbox.title')} · Switchboard`
    document.title = unread > 0 ? `(${unread}) ${title}` : title
  }, [unread])
}

/** Whether the folders are shown: where they have room, unless the person put them away. */
const useHasFolders = (): boolean => {
  const { hasFolders } = usePreferences()
  return useIsWide() && hasFolders
}

/** List, thread and contact side by side, on phones one after the other. */
function Panes() {
  const search = useSearch({ from: '/inbox' })
  const { conversationId } = useParams({ strict: false })
  const { data: counts } = useApi('GET /api/conversations/counts', {})
  // loaded here, so that opening a conversation needs one request only
  useScheduled()
  useCustomActions()
  useEffect(() => {
    if (counts) ThreadPane.preload().catch(() => undefined) // asked for again when it is needed
  }, [counts])
  const saved = useSavedView(search.saved)
  useTitle(counts?.unread ?? 0)
  const { open, jump, onSearch, after, ways } = useWays(conversationId)
  const hasFolders = useHasFolders()
  const { isOpen: isNew, setOpen: setNew, onNew } = useNewMessage()
  return (
    <main
      id="content"
      className={`inbox${conversationId === undefined ? '' : ' has-thread'}${hasFolders ? ' has-folders' : ''}`}
      style={useWidths()}
    >
      {hasFolders && <Folders search={search} counts={counts} onNew={onNew} />}
      <ListPane
        search={search}
        saved={saved ?? null}
        filter={saved === undefined ? null : filterOf(search, saved)}
        counts={counts}
        chosen={conversationId ?? null}
        onOpen={open}
        onSearch={onSearch}
        after={after}
        onNew={hasFolders ? null : onNew}
      />
      {conversationId === undefined ? (
        <section className="thread-empty">
          {counts && <Day counts={counts} onSearch={onSearch} />}
          {counts?.open !== 0 && (
            <Empty icon="inbox" title={t('inbox.thread.none')} hint={t('inbox.thread.none-hint')} />
          )}
        </section>
      ) : (
        <Suspense fallback={<ThreadOutline />}>
          <ThreadPane
            key={conversationId}
            conversationId={conversationId}
            anchor={search.message ?? null}
            onJump={jump}
            ways={ways}
            onClose={() => {
              open(null)
            }}
          />
        </Suspense>
      )}
      {isNew && (
        <NewMessage
          onOpen={open}
          onClose={() => {
            setNew(false)
          }}
        />
      )}
    </main>
  )
}
