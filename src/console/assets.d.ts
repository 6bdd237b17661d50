declare module '*.css'

/** Whether the bundle has the page that shows parts to developers (`src/console-bundle.ts`). */
declare const HAS_PARTS: boolean
