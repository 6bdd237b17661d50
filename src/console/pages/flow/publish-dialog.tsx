import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

import { call } from '../../api/client'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { Switch } from '../../parts/choice'
import { Dialog } from '../../parts/dialog'
import { sentenceOf, Trouble } from '../../parts/state'
import { isAbort, notify } from '../../parts/toast'
import { t } from '../../texts/texts'
import { isSame, readGraph } from './model/graph'
import { differences, type Difference } from './model/merge'
import { useFlow } from './use-flow'
import { outcomeName, titleOf } from './words'

/** Says a difference in words. */
function sentence({ kind, node, condition }: Difference): string {
  const name = titleOf(node)
  if (condition === 'entry') return t('flow.difference.entry', { name })
  if (condition === null) return t(`flow.difference.${kind}`, { name })
  return t('flow.difference.way', { name, outcome: outcomeName(node, condition) })
}

/** Whether the bot is known to be off, and what lets its page tell of the flow. */
function useBot(): { isOff: boolean; refresh: () => Promise<void> } {
  const client = useQueryClient()
  const settings = useApi('GET /api/chatbot/settings', {}, useCan('chatbot:read')).data
  return {
    isOff: settings?.chatbot_enabled === false,
    refresh: () => client.invalidateQueries({ queryKey: ['GET /api/chatbot/settings'] }),
  }
}

/** Says that no flow answers while the bot is off, and leads to its switch. */
const BotOff = () => (
  <p>
    {t('flow.publish-bot-off')} <Link to="/bot">{t('flow.publish-to-bot')}</Link>
  </p>
)

/** Says that no words begin the flow, and leads to them. */
const NoWords = ({ onWords }: Pick<Props, 'onWords'>) => (
  <p>
    {t('flow.publish-no-words')}{' '}
    <Button look="quiet" onPress={onWords}>
      {t('flow.start-no-words')}
    </Button>
  </p>
)

interface Props {
  /** Leads to the words that begin the flow. */
  onWords: () => void
  onClose: () => void
}

/** Shows what is new in a flow, and publishes it. */
export function PublishDialog({ onWords, onClose }: Props) {
  const { flow, graph, store, problems } = useFlow()
  const [isOn, setOn] = useState(true)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const bot = useBot()
  const params = { id: flow.id, version: String(flow.version ?? 1) }
  const before = useApi(
    'GET /api/chatbot/flows/{id}/versions/{version}',
    { params },
    flow.version !== null,
  ).data
  const changes = before ? differences(readGraph(before.graph), graph) : []
  const errors = problems.filter(({ isError }) => isError).length
  useEffect(() => {
    store.refresh().catch(() => undefined) // what is published is what the server has
  }, [store])
  const publish = async (): Promise<void> => {
    const shown = store.graph
    await store.refresh()
    if (!isSame(shown, store.graph)) return setBusy(false) // there is more to read first
    const { id } = flow
    if (store.snapshot().flow.has_draft)
      store.took(await call('POST /api/chatbot/flows/{id}/publish', { params: { id } }))
    if (!flow.enabled && isOn)
      store.took(
        await call('PUT /api/chatbot/flows/{id}', { params: { id }, body: { enabled: true } }),
      )
    await bot.refresh()
    notify(t((flow.enabled || isOn) && !bot.isOff ? 'flow.published-on' : 'flow.published'))
    onClose()
  }
  return (
    <Dialog title={t('flow.publish')} size="medium" isOpen onClose={onClose}>
      {error !== null && <Trouble>{sentenceOf(error)}</Trouble>}
      {errors > 0 ? (
        <Trouble>{t('flow.publish-problems', { count: errors })}</Trouble>
      ) : flow.version === null ? (
        <p>{t('flow.publish-first', { count: graph.nodes.length })}</p>
      ) : changes.length === 0 ? (
        <p>{t('flow.publish-same')}</p>
      ) : (
        <>
          <p>{t('flow.publish-changes', { version: flow.version + 1 })}</p>
          <ul className="flow-differences">
            {changes.map((one) => (
              <li key={`${one.kind} ${one.node.id} ${one.condition ?? ''}`} dir="auto">
                {sentence(one)}
              </li>
            ))}
          </ul>
        </>
      )}
      {flow.trigger_keywords.length === 0 && <NoWords onWords={onWords} />}
      {!flow.enabled && errors === 0 && (
        <Switch isSelected={isOn} onChange={setOn}>
          {t('flow.publish-on')}
        </Switch>
      )}
      {bot.isOff && <BotOff />}
      <footer className="actions">
        <Button onPress={onClose}>{t('parts.action.cancel')}</Button>
        <Button
          look="primary"
          isPending={isBusy}
          isDisabled={errors > 0}
          onPress={() => {
            setBusy(true)
            setError(null)
            publish().catch((problem: unknown) => {
              setBusy(false)
              if (!isAbort(problem)) setError(problem)
            })
          }}
        >
          {t('flow.publish')}
        </Button>
      </footer>
    </Dialog>
  )
}
