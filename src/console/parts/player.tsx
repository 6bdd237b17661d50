import { useRef, useState, type RefObject } from 'react'

import { IconButton, PlainButton } from './button'
import { report } from './toast'
import { formatClock, formatNumber } from '../texts/format'
import { t } from '../texts/texts'

/** How fast recordings can be played. */
const SPEEDS = [1, 1.5, 2] as const
const S_MS = 1_000

interface Props {
  url: string
  /** How long it is, as far as that is known before it is loaded. */
  lengthMs: number | null
}

/** A recording: a button that plays it, where it stands, and how fast it is. Loaded when played. */
export function Player({ url, lengthMs }: Props) {
  const audio = useRef<HTMLAudioElement>(null)
  const [isPlaying, setPlaying] = useState(false)
  const [isBroken, setBroken] = useState(false)
  const [atS, setAt] = useState(0)
  const [lengthS, setLength] = useState((lengthMs ?? 0) / S_MS)
  if (isBroken) return <span className="file-state muted">{t('inbox.media.failed')}</span>
  const toggle = (): void => {
    const { current: sound } = audio
    if (isPlaying) sound?.pause()
    else sound?.play().catch(report)
  }
  return (
    <span className="player">
      <audio
        ref={audio}
        src={url}
        preload="none"
        onPlay={() => {
          setPlaying(true)
        }}
        onPause={() => {
          setPlaying(false)
        }}
        onError={() => {
          setBroken(true)
        }}
        onTimeUpdate={({ currentTarget }) => {
          setAt(currentTarget.currentTime)
        }}
        onDurationChange={({ currentTarget: { duration } }) => {
          // of a recording that is not finished the browser knows none
          if (Number.isFinite(duration)) setLength(duration)
        }}
      />
      <IconButton
        icon={isPlaying ? 'pause' : 'play'}
        label={t(isPlaying ? 'inbox.media.pause' : 'inbox.media.play-audio')}
        onPress={toggle}
      />
      <input
        type="range"
        className="player-line"
        aria-label={t('inbox.media.place')}
        aria-valuetext={formatClock(atS * S_MS)}
        min={0}
        max={Math.max(lengthS, atS, 0.1)}
        step={0.1}
        value={atS}
        onChange={({ currentTarget }) => {
          const seconds = Number(currentTarget.value)
          setAt(seconds)
          if (audio.current) audio.current.currentTime = seconds
        }}
      />
      <time className="muted small">
        {formatClock((isPlaying || atS > 0 ? atS : lengthS) * S_MS)}
      </time>
      <Speed audio={audio} />
    </span>
  )
}

function Speed({ audio }: { audio: RefObject<HTMLAudioElement | null> }) {
  const [speed, setSpeed] = useState<number>(1)
  const shown = formatNumber(speed)
  return (
    <PlainButton
      className="speed"
      aria-label={t('inbox.media.speed', { speed: shown })}
      onPress={() => {
        const next = SPEEDS[(SPEEDS.findIndex((one) => one === speed) + 1) % SPEEDS.length] ?? 1
        // also for what is loaded afterwards
        if (audio.current) {
          audio.current.defaultPlaybackRate = next
          audio.current.playbackRate = next
        }
        setSpeed(next)
      }}
    >
      {shown}×
    </PlainButton>
  )
}
