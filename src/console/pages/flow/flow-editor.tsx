import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Suspense, useEffect, useState, type ComponentProps } from 'react'

import type { BotFlow } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { LeaveQuestion } from '../../parts/edit-page'
import { Guarded, Loaded } from '../../parts/loaded'
import { useIsNarrow } from '../../parts/narrow'
import { Page } from '../../parts/page'
import { Skeleton } from '../../parts/state'
import { report } from '../../parts/toast'
import { styled } from '../../parts/styled'
import canvasStyle from '../../styles/late/flow-canvas.css'
import { t } from '../../texts/texts'
import { ClashDialog } from './clash-dialog'
import { FiguresProvider, useFigures } from './figures'
import { Head } from './head'
import { Inspector } from './inspector'
import { nodeOf } from './model/graph'
import { Outline } from './outline'
import { ProblemList } from './problem-list'
import { PublishDialog } from './publish-dialog'
import { StartPanel } from './start-panel'
import { StartRow } from './start-row'
import { TestChat } from './test-chat'
import { FlowProvider, useEditing, useFlow } from './use-flow'
import { useEditorKeys } from './use-keys'
import { useTest } from './use-test'
import { Versions } from './versions'
import { late } from '../../parts/late'

const loadCanvas = styled(() => import('./canvas'), canvasStyle)
const Canvas = late(async () => (await loadCanvas()).Canvas)

/** The screen at `/bot/flows/{id}`. */
export function FlowEditor() {
  const { flowId } = useParams({ from: '/bot/flows/$flowId' })
  const mayRead = useCan('flows:read')
  const flow = useApi('GET /api/chatbot/flows/{id}', { params: { id: flowId } }, mayRead)
  if (mayRead && flow.data) return <Opened key={flowId} flow={flow.data} />
  return (
    <Page title={t('flow.one')}>
      <Guarded needs="flows:read">
        <Loaded result={flow} rows={8}>
          {() => null}
        </Loaded>
      </Guarded>
    </Page>
  )
}

function Opened({ flow }: { flow: BotFlow }) {
  const editing = useEditing(flow)
  return (
    <FlowProvider value={editing}>
      <Editor />
      <ClashDialog />
      {editing.start.windows}
    </FlowProvider>
  )
}

/** The place of the settings of the flow among its steps. */
const START = 'start'

/** Returns what the address says is shown, and how that is changed. */
function useView() {
  const search = useSearch({ from: '/bot/flows/$flowId' })
  const navigate = useNavigate()
  const show = (change: Partial<typeof search>): void => {
    navigate({ to: '.', search: (before) => ({ ...before, ...change }), replace: true }).catch(
      report,
    )
  }
  const choose = (id: string | null, isEdited = false): void => {
    show({ node: id ?? undefined, side: undefined })
    if (isEdited) focusSoon(id === START ? WORDS_FIELD : FIRST_FIELD, FIRST_FIELD)
  }
  useEffect(() => {
    // a step that the address names, such as the first one of a new flow, is to be written
    if (search.node !== undefined) focusSoon(FIRST_FIELD)
  }, [])
  return {
    ...search,
    show,
    choose,
    /** Chooses a step, and leads the focus to its settings. */
    edit: (id: string): void => {
      choose(id, true)
    },
    toggle: (side: 'test' | 'versions') => (): void => {
      show({ side: search.side === side ? undefined : side })
    },
    close: (): void => {
      show({ node: undefined, side: undefined })
      focusSoon(`[data-node="${CSS.escape(search.node ?? '')}"]`, '.flow-start button')
    },
  }
}

/** Where the settings of a step begin. */
const FIRST_FIELD = '.flow-side-body :is(textarea, input:not([type=file]), button)'

/** What most people come to the beginning of a flow for. */
const WORDS_FIELD = '.flow-side-body input[name=trigger_keywords]'

/** Gives the focus to an element, or else to another one, once the page is drawn again. */
const focusSoon = (selector: string, other: string | null = null): void => {
  setTimeout(() => {
    const found = document.querySelector<HTMLElement>(selector)
    const instead = other === null ? null : document.querySelector<HTMLElement>(other)
    ;(found ?? instead)?.focus()
  }, DRAWN_MS)
}

/** Time in which the page shows what was chosen, milliseconds. */
const DRAWN_MS = 50

/** The flow as canvas or list, and beside it one step, a test, or what was published. */
function Editor() {
  const { flow, graph, store, saving, start } = useFlow()
  const { node: chosen, as, side, show, choose, edit, toggle, close } = useView()
  const isNarrow = useIsNarrow()
  const test = useTest()
  const figures = useFigures(flow.id, flow.version !== null)
  const [isPublishing, setPublishing] = useState(false)
  const [showsGaps, setShowsGaps] = useState(false)
  const mayEdit = useCan('flows:update')
  const mayTest = useCan('chatbot:update')
  const node = chosen === undefined ? undefined : nodeOf(graph, chosen)
  const isList = isNarrow || as === 'list'
  useEditorKeys({ chosen: node?.id ?? null, onChoose: choose, onTest: toggle('test') })
  useEffect(() => {
    document.title = `${flow.name} · Switchboard`
  }, [flow.name])
  const shared = { chosen: node?.id ?? null, path: test.path, onChoose: choose }
  const beside =
    side === 'test' && mayTest ? (
      <TestChat test={test} onClose={close} />
    ) : side === 'versions' ? (
      <Versions onClose={close} />
    ) : chosen === START ? (
      <StartPanel onClose={close} />
    ) : node ? (
      <Inspector {...{ node, showsGaps }} onAdded={edit} onClose={close} />
    ) : null
  return (
    <main id="content" className={beside ? 'flow-page with-side' : 'flow-page'}>
      <Head
        {...{ isList, side, hasCanvas: !isNarrow }}
        onList={(isNow) => {
          show({ as: isNow ? 'list' : undefined })
        }}
        onTest={toggle('test')}
        onVersions={toggle('versions')}
        onPublish={() => {
          setPublishing(true)
        }}
      />
      <div className="flow-body">
        <div className="flow-main">
          <StartRow
            isChosen={chosen === START}
            onChoose={() => {
              edit(START)
            }}
            onAdded={edit}
          />
          <FiguresProvider value={figures}>
            {isList ? <Outline {...shared} /> : <Drawing {...shared} />}
          </FiguresProvider>
          <ProblemList
            onChoose={(id) => {
              setShowsGaps(true)
              edit(id)
            }}
          />
        </div>
        {beside}
      </div>
      <LeaveQuestion
        isChanged={saving !== 'saved' || start.isChanged}
        {...(start.isChanged ? {} : { save: store.flush })}
      />
      {isPublishing && mayEdit && (
        <PublishDialog
          onStart={() => {
            setPublishing(false)
            edit(START)
          }}
          onClose={() => {
            setPublishing(false)
          }}
        />
      )}
    </main>
  )
}

/** The canvas, whose code is loaded where there is room for it. */
const Drawing = (props: ComponentProps<typeof Canvas>) => (
  <Suspense fallback={<Skeleton rows={6} />}>
    <Canvas {...props} />
  </Suspense>
)
