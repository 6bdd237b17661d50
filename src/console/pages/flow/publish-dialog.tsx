import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

import { call } from '../../api/client'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { Switch } from '../../parts/choice'
import { Dialog } from '../../parts/dialog'
import { Icon } from '../../parts/icons'
import { sentenceOf, Trouble } from '../../parts/state'
import { isAbort, notify } from '../../parts/toast'
import { formatAll } from '../../texts/format'
import { t } from '../../texts/texts'
import { asKnown } from './as-known'
import { isSame, readGraph } from './model/graph'
import { withExample } from './model/problems'
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

/** Whether the bot is known to be off, what switches it on, and what lets its page tell of the flow. */
function useBot() {
  const client = useQueryClient()
  const settings = useApi('GET /api/chatbot/settings', {}, useCan('chatbot:read')).data
  const [isWanted, setWanted] = useState(false)
  return {
    ...{ isOff: settings?.chatbot_enabled === false, isWanted, setWanted },
    maySwitch: useCan('chatbot:update'),
    switchOn: () => call('PUT /api/chatbot/settings', { body: { chatbot_enabled: true } }),
    refresh: () => client.invalidateQueries({ queryKey: ['GET /api/chatbot/settings'] }),
  }
}

/** Says that no flow answers while the bot is off, with its switch, or who has it. */
const BotOff = ({ isWanted, setWanted, maySwitch }: ReturnType<typeof useBot>) => (
  <>
    <p>
      {t('flow.publish-bot-off')} {!maySwitch && <Link to="/bot">{t('flow.publish-to-bot')}</Link>}
    </p>
    {maySwitch && (
      <Switch isSelected={isWanted} onChange={setWanted}>
        {t('flow.publish-bot-on')}
      </Switch>
    )}
  </>
)

/** Names the steps that customers would still get an example from. */
function Examples() {
  const steps = withExample(useFlow().graph)
  if (steps.length === 0) return null
  return (
    <p className="flow-problem" dir="auto">
      <Icon name="info" size={16} />
      {t('flow.publish-example', { steps: formatAll(steps.map(titleOf)) })}
    </p>
  )
}

/** Says that no words begin the flow, and leads to them. */
const NoWords = ({ onStart }: Pick<Props, 'onStart'>) => (
  <p>
    {t('flow.publish-no-words')}{' '}
    <Button look="quiet" onPress={onStart}>
      {t('flow.start-no-words')}
    </Button>
  </p>
)

/** What is new since the last version, or how much is to be mended first. */
function News({ errors }: { errors: number }) {
  const { flow, graph } = useFlow()
  const params = { id: flow.id, version: String(flow.version ?? 1) }
  const before = useApi(
    'GET /api/chatbot/flows/{id}/versions/{version}',
    { params },
    flow.version !== null,
  ).data
  const changes = before ? differences(readGraph(before.graph), graph) : []
  if (errors > 0) return <Trouble>{t('flow.publish-problems', { count: errors })}</Trouble>
  if (flow.version === null) return <p>{t('flow.publish-first', { count: graph.nodes.length })}</p>
  if (changes.length === 0) return <p>{t('flow.publish-same')}</p>
  return (
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
  )
}

interface Props {
  /** Leads to how the flow begins. */
  onStart: () => void
  onClose: () => void
}

/** Shows what is new in a flow, and publishes it. */
export function PublishDialog({ onStart, onClose }: Props) {
  const { flow, store, problems, start } = useFlow()
  const [isOn, setOn] = useState(true)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const bot = useBot()
  const errors = problems.filter(({ isError }) => isError).length
  useEffect(() => {
    store.refresh().catch(() => undefined) // what is published is what the server has
  }, [store])
  const publish = async (): Promise<void> => {
    const shown = store.graph
    await store.refresh()
    if (!isSame(shown, store.graph)) return setBusy(false) // there is more to read first
    const { id } = flow
    try {
      await start.save()
    } catch {
      return onStart() // what is wrong stands there
    }
    const isPublished = await asKnown(
      store,
      async ({ has_draft: hasDraft, updated_at: ifMatch }) => {
        const wish = { params: { id }, ifMatch }
        if (hasDraft) store.took(await call('POST /api/chatbot/flows/{id}/publish', wish))
      },
      () => isSame(shown, store.graph),
    )
    if (!isPublished) return setBusy(false)
    if (!flow.enabled && isOn)
      store.took(
        await call('PUT /api/chatbot/flows/{id}', { params: { id }, body: { enabled: true } }),
      )
    if (bot.isOff && bot.isWanted) await bot.switchOn()
    await bot.refresh()
    const answers = (flow.enabled || isOn) && (!bot.isOff || bot.isWanted)
    notify(t(answers ? 'flow.published-on' : 'flow.published'))
    onClose()
  }
  return (
    <Dialog title={t('flow.publish')} size="medium" isOpen onClose={onClose}>
      {error !== null && <Trouble>{sentenceOf(error)}</Trouble>}
      <News errors={errors} />
      {start.isChanged && <p>{t('flow.publish-start')}</p>}
      {start.draft.value.trigger_keywords.length === 0 && <NoWords onStart={onStart} />}
      {!flow.enabled && errors === 0 && (
        <Switch isSelected={isOn} onChange={setOn}>
          {t('flow.publish-on')}
        </Switch>
      )}
      {bot.isOff && <BotOff {...bot} />}
      <Examples />
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
