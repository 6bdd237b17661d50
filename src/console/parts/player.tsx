import { useRef, useState, type ReactNode, type RefObject, type SyntheticEvent } from 'react'

import { IconButton, PlainButton } from './button'
import { Icon } from './icons'
import { isAbort, report } from './toast'
import { formatClock, formatNumber } from '../texts/format'
import { t, type TextKey } from '../texts/texts'

/** How fast recordings can be played. */
const SPEEDS = [1, 1.5, 2] as const
const S_MS = 1_000

interface Props {
  url: string
  /** How long it is, as far as that is known before it is loaded. */
  lengthMs: number | null
}

type Played = HTMLMediaElement

/** How far a recording is. The element has none of the browser's own controls. */
interface Playback {
  isPlaying: boolean
  isBroken: boolean
  atS: number
  lengthS: number
  toggle: () => void
  seek: (seconds: number) => void
  /** For the element that plays. */
  events: object
}

function usePlayback(played: RefObject<Played | null>, lengthMs: number | null): Playback {
  const [isPlaying, setPlaying] = useState(false)
  const [isBroken, setBroken] = useState(false)
  const [atS, setAt] = useState(0)
  const [lengthS, setLength] = useState((lengthMs ?? 0) / S_MS)
  return {
    ...{ isPlaying, isBroken, atS, lengthS },
    toggle: () => {
      const { current } = played
      if (isPlaying) current?.pause()
      else
        current?.play().catch((error: unknown) => {
          // it may be paused before it begins
          if (!isAbort(error)) setBroken(true)
        })
    },
    seek: (seconds) => {
      setAt(seconds)
      if (played.current) played.current.currentTime = seconds
    },
    events: {
      preload: 'none',
      onPlay: () => {
        setPlaying(true)
      },
      onPause: () => {
        setPlaying(false)
      },
      onError: () => {
        setBroken(true)
      },
      onTimeUpdate: ({ currentTarget }: SyntheticEvent<Played>) => {
        setAt(currentTarget.currentTime)
      },
      onDurationChange: ({ currentTarget: { duration } }: SyntheticEvent<Played>) => {
        // of a recording that is not finished the browser knows none
        if (Number.isFinite(duration)) setLength(duration)
      },
    },
  }
}

const Broken = () => <span className="file-state muted">{t('inbox.media.failed')}</span>

/** A recording: a button that plays it, where it stands, and how fast it is. Loaded when played. */
export function Player({ url, lengthMs }: Props) {
  const audio = useRef<HTMLAudioElement>(null)
  const playback = usePlayback(audio, lengthMs)
  if (playback.isBroken) return <Broken />
  return (
    <span className="player">
      <audio ref={audio} src={url} {...playback.events} />
      <Controls playback={playback} played={audio} play="inbox.media.play-audio" />
    </span>
  )
}

interface FilmProps extends Props {
  /** Its width by its height. */
  ratio: number
}

/** A film: its picture, which plays and pauses, and below it the same as of a recording. Loaded when played. */
export function Film({ url, lengthMs, ratio }: FilmProps) {
  const video = useRef<HTMLVideoElement>(null)
  const frame = useRef<HTMLSpanElement>(null)
  const playback = usePlayback(video, lengthMs)
  const { isPlaying, isBroken, toggle } = playback
  if (isBroken) return <Broken />
  return (
    <span ref={frame} className="film">
      <span className="film-picture" style={{ aspectRatio: ratio }}>
        <video ref={video} src={url} playsInline onClick={toggle} {...playback.events} />
        {!isPlaying && (
          // the button below does the same for keyboards
          <span className="film-sign" aria-hidden="true">
            <Icon name="play" size={28} />
          </span>
        )}
      </span>
      <span className="player">
        <Controls playback={playback} played={video} play="inbox.media.play-video">
          <IconButton
            icon="expand"
            label={t('inbox.media.whole-screen')}
            onPress={() => {
              const isWhole = document.fullscreenElement !== null
              const work = isWhole ? document.exitFullscreen() : frame.current?.requestFullscreen()
              work?.catch(report)
            }}
          />
        </Controls>
      </span>
    </span>
  )
}

interface ControlProps {
  playback: Playback
  played: RefObject<Played | null>
  /** What the button says that plays. */
  play: TextKey
  /** More buttons. */
  children?: ReactNode
}

function Controls({ playback, played, play, children }: ControlProps) {
  const { isPlaying, atS, lengthS, toggle, seek } = playback
  return (
    <>
      <IconButton
        icon={isPlaying ? 'pause' : 'play'}
        label={t(isPlaying ? 'inbox.media.pause' : play)}
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
          seek(Number(currentTarget.value))
        }}
      />
      <time className="muted small">
        {formatClock((isPlaying || atS > 0 ? atS : lengthS) * S_MS)}
      </time>
      <Speed played={played} />
      {children}
    </>
  )
}

function Speed({ played }: { played: RefObject<Played | null> }) {
  const [speed, setSpeed] = useState<number>(1)
  const shown = formatNumber(speed)
  return (
    <PlainButton
      className="speed"
      aria-label={t('inbox.media.speed', { speed: shown })}
      onPress={() => {
        const next = SPEEDS[(SPEEDS.findIndex((one) => one === speed) + 1) % SPEEDS.length] ?? 1
        // also for what is loaded afterwards
        if (played.current) {
          played.current.defaultPlaybackRate = next
          played.current.playbackRate = next
        }
        setSpeed(next)
      }}
    >
      {shown}×
    </PlainButton>
  )
}
