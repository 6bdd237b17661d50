import { useQueryClient, type Query } from '@tanstack/react-query'
import { createContext, useContext, useEffect, useRef, useState, type ReactNode } from 'react'

import { currentSession } from '../api/session'
import { Line, type Frame, type LineState } from './socket'
import { FrameQueue } from './frame-queue'
import { setPresence } from './presence'
import { takeTicket } from './start'
import { learnServerTime } from './server-clock'

interface LineValue {
  state: LineState
  send: (type: string, payload: Record<string, unknown>) => boolean
  /** Calls `listener` with every frame. Returns a function that stops it. */
  listen: (listener: (frame: Frame) => void) => () => void
}

/** Whether data must be loaded again: events were missed, or the last request for it failed. */
const isInvalidated = ({ state }: Query): boolean => state.isInvalidated

const LineContext = createContext<LineValue>({
  state: 'connecting',
  send: () => false,
  listen: () => () => undefined,
})

/** Returns the line to the server. */
export const useLine = (): LineValue => useContext(LineContext)

/** Opens the line of the signed-in user, and applies its events to everything that was loaded. */
export function LineProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const [state, setState] = useState<LineState>('connecting')
  const line = useRef<Line | null>(null)
  const listeners = useRef(new Set<(frame: Frame) => void>())
  useEffect(() => {
    const queue = new FrameQueue(client, (frame) => {
      for (const listener of listeners.current) listener(frame)
    })
    const session = currentSession()
    if (session.phase !== 'signed-in') return
    const events = {
      onFrame: (frame: Frame) => {
        if (frame.replayed !== true) learnServerTime(frame.at)
        // the type is what is sent
        if (frame.type === 'ready')
          setPresence(client, frame.payload['presence'] as Parameters<typeof setPresence>[1])
        queue.add(frame)
      },
      onResync: () => {
        client.invalidateQueries().catch(() => undefined)
      },
      onState: (next: LineState) => {
        setState(next)
        if (next !== 'live') return
        // what could not be loaded while the server was out of reach
        client
          .refetchQueries({ type: 'active', predicate: isInvalidated }, { cancelRefetch: false })
          .catch(() => undefined)
      },
    }
    // what was loaded before the socket is open is as old as this session
    const opened = new Line(events, { ...session.me.events, ticket: takeTicket() })
    line.current = opened
    opened.open().catch(() => undefined)
    return () => {
      opened.stop()
      queue.stop()
    }
  }, [client])
  const [value] = useState(() => ({
    send: (type: string, payload: Record<string, unknown>) =>
      line.current?.send(type, payload) ?? false,
    listen: (listener: (frame: Frame) => void) => {
      listeners.current.add(listener)
      return () => {
        listeners.current.delete(listener)
      }
    },
  }))
  return <LineContext value={{ ...value, state }}>{children}</LineContext>
}
