/** The address of a file of styles that is loaded late (`parts/styled.ts`). */
declare module '*.css' {
  const href: string
  export default href
}

/** Whether the bundle has the page that shows parts to developers (`src/console-bundle.ts`). */
declare const HAS_PARTS: boolean
