#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Sentences that are too long, and words that have a plainer one: prose.py FILE...  FILE is
Markdown, a page's source (.man), text, or what packaging/messages prints (.tsv).  --comments: the
comments of C and scripts, without what is quoted there, and choices such as a|b.  --mean N: each
file's sentences have at most N words on average, but those of comments any number; --most N: none
has more (30, in comments 40).  Findings go to the standard output."""
import argparse
import re

# What to write instead.
OUT = {
    r"wish(es)?": "request",
    r"so many": "the number, or \"that many\"",
    r"(is|are|was|were|has|have) gone": "exited, deleted or unmapped",
    r"lies? in|lay in": "is in",
    r"takes? part in": "uses",
    r"told of": "reported",
    r"tells?|told": "report, print or say",
    r"stands? for": "represents",
    r"left out": "excluded, removed or skipped",
    r"whoever|for whom|of one who": "name the person",
    r"one's own|their own one": "\"your own\"",
}


def plain_markdown(text):
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    lines, hangs = [], False
    for line in text.split("\n"):
        if hangs and not line.startswith(" "):     # TODO: the next entry begins
            lines.append("")
        hangs = line.startswith("  ")
        item = re.match(r"^\s*([*-]|\d+\.) ", line)
        if re.match(r"^(    |\t)", line) and not item or line.startswith(("|", "!", "#")):
            lines.append("")
            continue
        if item:
            lines.append("")
            line = line[item.end():]
        lines.append(line)
    return re.sub(r"`[^`]*`", "CODE", "\n".join(lines))


def plain_page(text):
    lines, fixed = [], False
    for line in text.split("\n"):
        if line.startswith((".nf", ".fi")):
            fixed = line.startswith(".nf")
        named = re.match(r"^\.(B|I|BR|RB|IR|RI|BI|IB) (.*)", line)
        if fixed or line.startswith(".") and not named:
            lines.append("" if not line.startswith('.\\"') else None)
            continue
        line = named[2].replace('"', "") if named else line
        line = re.sub(r"\\f.|\\&", "", line.replace("\\-", "-"))
        lines.append(re.sub(r"\\\(..", '"', line))
    return "\n".join(line for line in lines if line is not None)


def plain_comments(text):
    if re.match(r"/[*/]", text):
        found = re.findall(r"/\*(.*?)\*/", text, re.S)
        lines = "\n\n".join(re.sub(r"\n[ \t]*\* ?", "\n", comment) for comment in found)
    else:
        lines = "\n".join(re.sub(r"^\s*# ?", "", line) if re.match(r"\s*#(?!!)", line) else ""
                          for line in text.split("\n"))
    return re.sub(r"\"[^\"]*\"|\S*\|\S*|@\w+(->\w+)*|struct \w+", "NAME", lines)


def sentences(text):
    for paragraph in re.split(r"\n\s*\n", text):
        paragraph = " ".join(paragraph.split())
        for sentence in re.split(r"(?<=[.!?:;])[\"”)*]*\s+", paragraph):
            if len(sentence.split()) > 2:
                yield sentence


def findings(path, text, options):
    lengths = []
    for sentence in sentences(text):
        words = len(sentence.split())
        lengths.append(words)
        if words > options.most:
            yield f"{path}: {words} words: {sentence}"
        for pattern, instead in OUT.items():
            for found in re.finditer(rf"\b({pattern})\b", sentence, re.I):
                yield f"{path}: \"{found[0]}\" ({instead}): {sentence}"
    if lengths and not options.comments and sum(lengths) > options.mean * len(lengths):
        yield f"{path}: {sum(lengths) / len(lengths):.1f} words a sentence, at most {options.mean}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mean", type=float, default=15)
    parser.add_argument("--most", type=int)
    parser.add_argument("--comments", action="store_true")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    options.most = options.most or (40 if options.comments else 30)
    for path in options.files:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if path.endswith(".tsv"):
            text = "\n\n".join(line.partition("\t")[2] for line in text.split("\n"))
        plain = plain_comments if options.comments else \
            plain_page if path.endswith(".man") else plain_markdown
        for finding in findings(path, plain(text), options):
            print(finding)


main()
