// Markdown of agents as elements: its HTML stays text, its pictures become links, and links name their host.
import { fromMarkdown } from "mdast-util-from-markdown";
import type { Nodes, PhrasingContent, RootContent } from "mdast";
import { h, type ComponentChildren, type JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Block } from "./parts.js";
import { visible } from "./words.js";

const MOST = 200_000;

export function Markdown({ text }: { text: string }) {
  const tree = useMemo(() => (text.length > MOST ? undefined : fromMarkdown(visible(text))), [text]);
  if (tree === undefined) return <Block text={text} label="A long text" />;
  return (
    <div class="markdown foreign" dir="auto">
      {tree.children.map(draw)}
    </div>
  );
}

function inside(node: { children: readonly (RootContent | PhrasingContent)[] }): ComponentChildren {
  return node.children.map(draw);
}

const TAGS: Readonly<Record<string, string>> = {
  ...{ paragraph: "p", emphasis: "em", strong: "strong", blockquote: "blockquote", listItem: "li" },
  ...{ thematicBreak: "hr", break: "br" },
};

function draw(node: Nodes, key: number): JSX.Element | string | null {
  switch (node.type) {
    case "heading":
      return (
        <p
          key={key}
          class={`heading h${Math.min(node.depth + 1, 5)}`}
          role="heading"
          aria-level={Math.min(node.depth + 2, 6)}
        >
          {inside(node)}
        </p>
      );
    case "text":
    case "html":
      return node.value;
    case "inlineCode":
      return <code key={key}>{node.value}</code>;
    case "code": {
      const head = [node.lang, node.meta].filter((word) => word !== null && word !== undefined).join(" ");
      return (
        <div key={key}>
          {head !== "" && <span class="muted">{head}</span>}
          <Block text={node.value} label="Code" />
        </div>
      );
    }
    // Nothing of the text is hidden: an agent reads it all.
    case "definition":
      return <p key={key}>{`[${node.label ?? ""}]: ${node.url} ${node.title ?? ""}`}</p>;
    case "imageReference":
      return `![${node.alt ?? ""}]`;
    case "list":
      return node.ordered === true ? (
        <ol key={key} start={node.start ?? 1}>
          {inside(node)}
        </ol>
      ) : (
        <ul key={key}>{inside(node)}</ul>
      );
    case "link":
      return <ForeignLink key={key} url={node.url} title={node.title} words={inside(node)} />;
    case "image":
      return <ForeignLink key={key} url={node.url} title={node.title} words={node.alt ?? "a picture"} />;
    default:
      return h(TAGS[node.type] ?? "span", { key }, "children" in node && inside(node));
  }
}

interface ForeignLinkProps {
  url: string;
  title: string | null | undefined;
  words: ComponentChildren;
}

function ForeignLink({ url, title, words }: ForeignLinkProps) {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const more = title === null || title === undefined ? "" : ` “${title}”`;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    return (
      <span>
        {words} ({url}
        {more})
      </span>
    );
  return (
    <a href={parsed.href} target="_blank" rel="noopener noreferrer">
      {words}{" "}
      <span class="muted">
        ({parsed.host}
        {more})
      </span>
    </a>
  );
}
