/**
 * Lets the browser translate the page. Google Translate, which is built into Chrome and Edge, replaces each text with a
 * `<font>`. React still holds the replaced text: its changes would be invisible, and removing it would throw. Therefore, the
 * translation is registered as the text's stand-in, and operations on the text apply to the stand-in. A text that changes
 * replaces its stand-in, so that the browser translates it again.
 */
const standIns = new WeakMap<Node, Element>();

const standInOf = (text: Node | null): Element | undefined => {
  const translated = text && standIns.get(text);
  return translated?.isConnected ? translated : undefined;
};

/** Observes the document until it is closed. `earlier` holds the mutations recorded so far. */
export function followTranslation(earlier: readonly MutationRecord[]): void {
  const texts = new MutationObserver((records) => {
    for (const { target } of records) {
      standInOf(target)?.replaceWith(target);
      standIns.delete(target);
    }
  });
  const note = (records: readonly MutationRecord[]): void => {
    for (const [text, translated] of replacedIn(records)) {
      standIns.set(text, translated);
      texts.observe(text, { characterData: true });
    }
  };
  note(earlier);
  new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
  operateOnStandIns();
}

const isTranslation = (node: Node): node is Element => node.nodeName === 'FONT';
const isText = (node: Node | null | undefined): node is Text => node?.nodeType === Node.TEXT_NODE;

/**
 * The texts that a translation replaced. Translators do this in one step, or in two: insert the translation next to the text,
 * then remove the text.
 */
function replacedIn(records: readonly MutationRecord[]): [Text, Element][] {
  const removed = new Set(records.flatMap(({ removedNodes }) => [...removedNodes].filter(isText)));
  return records.flatMap(({ addedNodes, removedNodes, nextSibling, previousSibling }) => {
    const translated = [...addedNodes].find(isTranslation);
    const text = [...removedNodes, nextSibling, previousSibling].find(
      (node): node is Text => isText(node) && removed.has(node),
    );
    return translated && text && !text.isConnected ? [[text, translated] as [Text, Element]] : [];
  });
}

function operateOnStandIns(): void {
  const { appendChild, insertBefore, removeChild } = Node.prototype;
  /** Returns a replaced text's stand-in, or the child itself. */
  const childOf = <T extends Node | null>(parent: Node, child: T): T | Element =>
    child && child.parentNode !== parent ? (standInOf(child) ?? child) : child;
  /** Removes a text's translation before the text moves. */
  const withoutStandIn = (node: Node): void => standInOf(node)?.remove();

  Node.prototype.removeChild = function <T extends Node>(this: Node, child: T): T {
    const present = childOf(this, child);
    // Another translator has replaced the text in an unknown way.
    if (isText(present) && present.parentNode !== this) return child;
    removeChild.call(this, present);
    return child;
  };
  Node.prototype.insertBefore = function <T extends Node>(this: Node, node: T, before: Node | null): T {
    withoutStandIn(node);
    const present = childOf(this, before);
    insertBefore.call(this, node, isText(present) && present.parentNode !== this ? null : present);
    return node;
  };
  Node.prototype.appendChild = function <T extends Node>(this: Node, node: T): T {
    withoutStandIn(node);
    appendChild.call(this, node);
    return node;
  };
}
